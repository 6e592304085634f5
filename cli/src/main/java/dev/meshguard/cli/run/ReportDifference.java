package dev.meshguard.cli.run;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How the memory of one device differs between the moments of two memory reports. */
final class ReportDifference {

    private static final int MAX_PLACES = 8;

    private final List<AmountChange> changes = new ArrayList<>();
    private final List<BlockChange> blocks = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * An amount that differs.
     *
     * @param type the memory
     * @param what what was counted, such as {@code allocated in a bank}
     * @param isAllocated whether it is memory in buffers; otherwise it is free
     * @param before the bytes at the earlier moment
     * @param after the bytes at the later one
     */
    private record AmountChange(BufferType type, String what, boolean isAllocated, long before, long after) {

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
    private record BlockChange(BufferType type, boolean isNew, long size, List<Long> addresses) {

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
     * Compares two reports.
     *
     * @throws UsageException if they have no figures of the same memory
     */
    static ReportDifference between(MemoryReport before, MemoryReport after) throws UsageException {
        ReportDifference difference = new ReportDifference();
        Stream.of(before, after)
                .forEach(file -> file.notes().forEach(note -> difference.notes.add(file.name() + ": " + note)));
        boolean isAnyCompared = false;
        for (BufferType type : BufferType.values()) {
            Optional<ReportedMemory> earlier = memory(before, type);
            Optional<ReportedMemory> later = memory(after, type);
            if (earlier.isPresent() && later.isPresent()) {
                boolean hasAmounts = difference.compareAmounts(earlier.get(), later.get());
                boolean hasLargestFree =
                        difference.compareLargestFree(earlier.get(), before.rounding(), later.get(), after.rounding());
                if (hasAmounts || hasLargestFree) {
                    isAnyCompared = true;
                } else {
                    difference.notes.add(type + " is not compared: the files do not have the same figures of it.");
                }
                if (before.isRounded() == after.isRounded()) {
                    difference.compareBlocks(earlier.get(), later.get());
                }
            } else if (earlier.isPresent() || later.isPresent()) {
                difference.notes.add(
                        type + " is only in " + (earlier.isPresent() ? before.name() : after.name()) + ".");
            }
        }
        if (!isAnyCompared) {
            throw new UsageException(before.name() + " and " + after.name()
                    + " have no figures of the same memory: give two reports of one kind, both whole.");
        }
        return difference;
    }

    private static Optional<ReportedMemory> memory(MemoryReport report, BufferType type) {
        return report.memories().stream()
                .filter(memory -> memory.type() == type)
                .findFirst();
    }

    /** Returns whether both have what is allocated, in all banks or in one. */
    private boolean compareAmounts(ReportedMemory before, ReportedMemory after) {
        boolean areWhole = before.all().isPresent() && after.all().isPresent();
        Optional<Amounts> earlier = areWhole ? before.all() : before.bank();
        Optional<Amounts> later = areWhole ? after.all() : after.bank();
        if (earlier.isEmpty() || later.isEmpty()) {
            return false;
        }
        AmountChange change = new AmountChange(
                before.type(),
                areWhole ? "allocated" : "allocated in a bank",
                true,
                earlier.get().allocated(),
                later.get().allocated());
        addIfCertain(change, earlier.get().rounding(), later.get().rounding());
        return true;
    }

    /** Returns whether both have the largest free block. */
    private boolean compareLargestFree(ReportedMemory before, long lostBefore, ReportedMemory after, long lostAfter) {
        if (before.largestFree().isEmpty() || after.largestFree().isEmpty()) {
            return false;
        }
        AmountChange change = new AmountChange(
                before.type(),
                "largest free block",
                false,
                before.largestFree().getAsLong(),
                after.largestFree().getAsLong());
        addIfCertain(change, lostBefore, lostAfter);
        return true;
    }

    /** Adds a change that is certain: numbers that were rounded down may be larger by what they lost. */
    private void addIfCertain(AmountChange change, long lostBefore, long lostAfter) {
        if (change.after() > change.before() + lostBefore || change.after() + lostAfter < change.before()) {
            changes.add(change);
        }
    }

    /** Compares the blocks of buffers, if both have blocks. */
    private void compareBlocks(ReportedMemory before, ReportedMemory after) {
        if (!before.blocks().isEmpty() && !after.blocks().isEmpty()) {
            addBlocks(before.type(), true, after.blocks(), before.blocks());
            addBlocks(before.type(), false, before.blocks(), after.blocks());
        }
    }

    private void addBlocks(BufferType type, boolean isNew, List<MemoryBlock> in, List<MemoryBlock> notIn) {
        Set<MemoryBlock> others = new HashSet<>(notIn);
        Map<Long, List<Long>> addresses = in.stream()
                .filter(block -> block.isAllocated() && !others.contains(block))
                .collect(Collectors.groupingBy(
                        MemoryBlock::size,
                        TreeMap::new,
                        Collectors.mapping(MemoryBlock::address, Collectors.toList())));
        addresses.forEach((size, all) -> blocks.add(new BlockChange(type, isNew, size, all)));
    }

    boolean isEmpty() {
        return changes.isEmpty() && blocks.isEmpty();
    }

    /** Returns whether more memory is allocated, or more blocks of a size are new than gone. */
    boolean leavesMore() {
        return changes.stream().anyMatch(change -> change.isAllocated() && change.after() > change.before())
                || blocks.stream().anyMatch(this::outnumber);
    }

    private boolean outnumber(BlockChange block) {
        return block.isNew()
                && blocks.stream()
                        .filter(gone -> !gone.isNew() && gone.type() == block.type() && gone.size() == block.size())
                        .noneMatch(gone ->
                                gone.addresses().size() >= block.addresses().size());
    }

    /** Returns what could not be read or compared, as whole sentences. */
    List<String> notes() {
        return notes;
    }

    List<String> lines() {
        if (isEmpty()) {
            return List.of("SAME USAGE  no difference");
        }
        List<String> lines = new ArrayList<>(List.of("CHANGED  between the two moments"));
        changes.forEach(change -> lines.add(change.text()));
        blocks.forEach(change -> lines.add(change.text()));
        return lines;
    }
}
