package dev.meshguard.cli.run;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemory.Totals;
import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.JsonDocument;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.cli.input.Input;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * How the memory of one device differs between two moments: of two memory reports, or of its shared memory at two times.
 *
 * @param changes the amounts that differ
 * @param blocks the blocks of buffers that only one moment has
 * @param notes what could not be read or compared, as whole sentences
 */
record MomentDifference(List<AmountChange> changes, List<BlockChange> blocks, List<String> notes) {

    private static final int MAX_PLACES = 8;

    /**
     * An amount that differs.
     *
     * @param type the memory
     * @param what what was counted, such as {@code allocated in a bank}
     * @param isAllocated whether it is memory in buffers; otherwise it is free
     * @param before the bytes at the earlier moment
     * @param after the bytes at the later one
     */
    record AmountChange(BufferType type, String what, boolean isAllocated, long before, long after) {

        String text() {
            long more = after - before;
            return String.format(
                    Locale.ROOT,
                    "   %s %s: %s -> %s, %s%s",
                    type,
                    what,
                    Quantities.size(before),
                    Quantities.size(after),
                    more < 0 ? "-" : "+",
                    Quantities.size(Math.abs(more)));
        }
    }

    /**
     * Blocks of one size that only one moment has; each buffer has a block in each bank.
     *
     * @param type the memory
     * @param isNew whether the later moment has them; otherwise the earlier one
     * @param size the bytes of each
     * @param addresses the address of each in its bank, ascending
     */
    record BlockChange(BufferType type, boolean isNew, long size, List<Long> addresses) {

        String text() {
            return String.format(
                    Locale.ROOT,
                    "   %s %s: %s of %s in each bank, at %s",
                    type,
                    isNew ? "new" : "gone",
                    Quantities.count(addresses.size(), "block"),
                    Quantities.size(size),
                    places());
        }

        /** Returns the addresses; those of blocks that lie side by side are one range. */
        private String places() {
            List<String> places = new ArrayList<>();
            for (int i = 0; i < addresses.size(); i++) {
                int first = i;
                while (i + 1 < addresses.size() && addresses.get(i + 1) == addresses.get(i) + size) {
                    i++;
                }
                places.add(Quantities.address(addresses.get(first))
                        + (i == first ? "" : " to " + Quantities.address(addresses.get(i))));
            }
            return places.stream().limit(MAX_PLACES).collect(Collectors.joining(", "))
                    + (places.size() > MAX_PLACES
                            ? ", and " + Quantities.count(places.size() - MAX_PLACES, "more place")
                            : "");
        }
    }

    /**
     * Compares two moments.
     *
     * @throws UsageException if one is of shared memory and the other of a memory report, or they are of different devices
     */
    static MomentDifference between(Input.Moment before, Input.Moment after) throws UsageException {
        if (before.memory() instanceof MemoryReport earlier && after.memory() instanceof MemoryReport later) {
            return ofReports(earlier, later);
        }
        if (before.memory() instanceof SharedMemory earlier && after.memory() instanceof SharedMemory later) {
            return ofSharedMemory(earlier, later);
        }
        throw new UsageException(String.format(
                Locale.ROOT,
                "%s is %s, and %s is %s: give two files of one kind.",
                before.name(),
                before.kind(),
                after.name(),
                after.kind()));
    }

    ExitStatus status() {
        if (changes.stream().anyMatch(change -> change.isAllocated() && change.after() > change.before())
                || blocks.stream().anyMatch(this::outnumber)) {
            return ExitStatus.LEAKED;
        }
        if (!notes.isEmpty()) {
            return ExitStatus.INCONCLUSIVE;
        }
        return isEmpty() ? ExitStatus.CLEAN : ExitStatus.DIFFERENT;
    }

    private boolean isEmpty() {
        return changes.isEmpty() && blocks.isEmpty();
    }

    /** Returns whether there are more new blocks than blocks of their size that are gone. */
    private boolean outnumber(BlockChange block) {
        return block.isNew()
                && blocks.stream()
                        .filter(gone -> !gone.isNew() && gone.type() == block.type() && gone.size() == block.size())
                        .noneMatch(gone ->
                                gone.addresses().size() >= block.addresses().size());
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(
                switch (status()) {
                    case CLEAN -> "SAME USAGE  no difference";
                    case INCONCLUSIVE ->
                        "INCONCLUSIVE  " + (isEmpty() ? "no difference" : "no more memory")
                                + " in what can be compared";
                    default -> "CHANGED  between the two moments";
                });
        changes.forEach(change -> lines.add(change.text()));
        blocks.forEach(change -> lines.add(change.text()));
        notes.forEach(note -> lines.add("note    " + PrintableText.line(note)));
        return lines;
    }

    /** Writes the amounts and blocks. */
    void write(JsonDocument json) throws IOException {
        json.objects("amounts", changes, change -> {
            json.field("type", change.type());
            json.field("what", change.what());
            json.field("before", change.before());
            json.field("after", change.after());
        });
        json.objects("blocks", blocks, block -> {
            json.field("type", block.type());
            json.field("isNew", block.isNew());
            json.field("size", block.size());
            json.field("addresses", block.addresses());
        });
    }

    // Memory reports

    private static MomentDifference ofReports(MemoryReport before, MemoryReport after) throws UsageException {
        List<AmountChange> changes = new ArrayList<>();
        List<BlockChange> blocks = new ArrayList<>();
        List<String> notes = notesOf(before, after);
        boolean isAnyCompared = false;
        for (BufferType type : BufferType.values()) {
            Optional<ReportedMemory> earlier = memory(before, type);
            Optional<ReportedMemory> later = memory(after, type);
            if (earlier.isPresent() && later.isPresent()) {
                boolean isCompared = compare(earlier.get(), later.get(), before.rounding(), after.rounding(), changes);
                if (before.isRounded() == after.isRounded()) {
                    compareBlocks(earlier.get(), later.get(), blocks);
                }
                isAnyCompared |= isCompared;
                if (!isCompared) {
                    notes.add(type + " is not compared: the files do not have the same figures of it.");
                }
            } else if (earlier.isPresent() || later.isPresent()) {
                notes.add(String.format(
                        Locale.ROOT, "%s is only in %s.", type, earlier.isPresent() ? before.name() : after.name()));
            }
        }
        if (!isAnyCompared) {
            throw new UsageException(before.name() + " and " + after.name()
                    + " have no figures of the same memory: give two reports of one kind, both whole.");
        }
        return new MomentDifference(changes, blocks, notes);
    }

    private static List<String> notesOf(RuntimeEvidence... files) {
        List<String> notes = new ArrayList<>();
        for (RuntimeEvidence file : files) {
            file.notes().forEach(note -> notes.add(file.name() + ": " + note));
        }
        return notes;
    }

    private static Optional<ReportedMemory> memory(MemoryReport report, BufferType type) {
        return report.memories().stream()
                .filter(memory -> memory.type() == type)
                .findFirst();
    }

    /** Returns whether both have an amount of it. */
    private static boolean compare(
            ReportedMemory before, ReportedMemory after, long lostBefore, long lostAfter, List<AmountChange> changes) {
        BufferType type = before.type();
        boolean areWhole = before.all().isPresent() && after.all().isPresent();
        Optional<Amounts> earlier = areWhole ? before.all() : before.bank();
        Optional<Amounts> later = areWhole ? after.all() : after.bank();
        boolean hasAmounts = earlier.isPresent() && later.isPresent();
        if (hasAmounts) {
            add(
                    new AmountChange(
                            type,
                            areWhole ? "allocated" : "allocated in a bank",
                            true,
                            earlier.get().allocated(),
                            later.get().allocated()),
                    earlier.get().rounding(),
                    later.get().rounding(),
                    changes);
        }
        boolean haveLargestFree =
                before.largestFree().isPresent() && after.largestFree().isPresent();
        if (haveLargestFree) {
            add(
                    new AmountChange(
                            type,
                            "largest free block",
                            false,
                            before.largestFree().getAsLong(),
                            after.largestFree().getAsLong()),
                    lostBefore,
                    lostAfter,
                    changes);
        }
        return hasAmounts || haveLargestFree;
    }

    /** Adds a change that is certain: numbers that were rounded down may be larger by what they lost. */
    private static void add(AmountChange change, long lostBefore, long lostAfter, List<AmountChange> changes) {
        if (change.after() > change.before() + lostBefore || change.after() + lostAfter < change.before()) {
            changes.add(change);
        }
    }

    /** Compares the blocks of buffers, if both have blocks. */
    private static void compareBlocks(ReportedMemory before, ReportedMemory after, List<BlockChange> blocks) {
        if (before.blocks().isEmpty() || after.blocks().isEmpty()) {
            return;
        }
        add(before.type(), true, after.blocks(), before.blocks(), blocks);
        add(before.type(), false, before.blocks(), after.blocks(), blocks);
    }

    private static void add(
            BufferType type, boolean isNew, List<MemoryBlock> in, List<MemoryBlock> notIn, List<BlockChange> blocks) {
        Set<MemoryBlock> others = new HashSet<>(notIn);
        Map<Long, List<Long>> addresses = in.stream()
                .filter(block -> block.isAllocated() && !others.contains(block))
                .collect(Collectors.groupingBy(
                        MemoryBlock::size,
                        TreeMap::new,
                        Collectors.mapping(MemoryBlock::address, Collectors.toList())));
        addresses.forEach((size, all) -> blocks.add(new BlockChange(type, isNew, size, all)));
    }

    // Shared memory

    private static MomentDifference ofSharedMemory(SharedMemory before, SharedMemory after) throws UsageException {
        if (before.device() != after.device()) {
            throw new UsageException(String.format(
                    Locale.ROOT,
                    "%s is of device %d, and %s of device %d: give two files of one device.",
                    before.name(),
                    before.device(),
                    after.name(),
                    after.device()));
        }
        List<AmountChange> changes = new ArrayList<>();
        compare("allocated", before.total(), after.total(), changes);
        Map<String, Totals> earlier = processes(before);
        Map<String, Totals> later = processes(after);
        Totals none = new Totals(0, 0, 0, 0, 0);
        Set<String> all = new TreeSet<>(earlier.keySet());
        all.addAll(later.keySet());
        all.forEach(process -> compare(
                "of " + process, earlier.getOrDefault(process, none), later.getOrDefault(process, none), changes));
        return new MomentDifference(changes, List.of(), notesOf(before, after));
    }

    private static Map<String, Totals> processes(SharedMemory memory) {
        Map<String, Totals> totals = new HashMap<>();
        for (ProcessMemory process : memory.processes()) {
            if (process.processId() > 0) {
                totals.put(
                        "process " + process.processId() + " (" + PrintableText.line(process.command()) + ")",
                        process.totals());
            }
        }
        return totals;
    }

    private static void compare(String what, Totals before, Totals after, List<AmountChange> changes) {
        for (BufferType type : BufferType.values()) {
            add(new AmountChange(type, what, true, before.of(type), after.of(type)), 0, 0, changes);
        }
    }
}
