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
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Compares the memory of one device at the moments of two memory reports. */
final class ReportDifference {

    private static final int MAX_PLACES = 8;

    private final MemoryReport before;
    private final MemoryReport after;
    private final List<String> amounts = new ArrayList<>();
    private final List<String> blocks = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private boolean isAnyCompared;
    private boolean leavesMore;

    private ReportDifference(MemoryReport before, MemoryReport after) {
        this.before = before;
        this.after = after;
    }

    /**
     * Compares two reports.
     *
     * @throws UsageException if they have no figures of the same memory
     */
    static Comparison between(MemoryReport before, MemoryReport after) throws UsageException {
        return new ReportDifference(before, after).comparison();
    }

    private Comparison comparison() throws UsageException {
        if (before.isRounded() != after.isRounded()) {
            throw new UsageException((before.isRounded() ? before : after).name()
                    + " is of a version that rounds down to KiB: give two reports of one version.");
        }
        Stream.of(before, after).forEach(file -> file.notes().forEach(note -> notes.add(file.name() + ": " + note)));
        for (BufferType type : BufferType.values()) {
            Optional<ReportedMemory> earlier = memory(before, type);
            Optional<ReportedMemory> later = memory(after, type);
            if (earlier.isPresent() && later.isPresent()) {
                compare(earlier.get(), later.get());
            } else if (earlier.isPresent() || later.isPresent()) {
                notes.add(type + " is only in " + (earlier.isPresent() ? before.name() : after.name()) + ".");
            }
        }
        if (!isAnyCompared) {
            throw new UsageException(before.name() + " and " + after.name()
                    + " have no figures of the same memory: give two reports of one kind, both whole.");
        }
        List<String> lines = new ArrayList<>();
        lines.addAll(amounts);
        lines.addAll(blocks);
        boolean isSame = lines.isEmpty();
        lines.add(0, isSame ? "SAME USAGE  no difference" : "CHANGED  between the two moments");
        return new Comparison(isSame, leavesMore, lines, notes);
    }

    private static Optional<ReportedMemory> memory(MemoryReport report, BufferType type) {
        return report.memories().stream()
                .filter(memory -> memory.type() == type)
                .findFirst();
    }

    private void compare(ReportedMemory earlier, ReportedMemory later) {
        boolean areWhole = earlier.all().isPresent() && later.all().isPresent();
        Optional<Amounts> allocated = areWhole ? earlier.all() : earlier.bank();
        Optional<Amounts> allocatedLater = areWhole ? later.all() : later.bank();
        boolean isCompared = false;
        if (allocated.isPresent() && allocatedLater.isPresent()) {
            isCompared = true;
            long bytes = allocated.get().allocated();
            long bytesLater = allocatedLater.get().allocated();
            addAmount(earlier.type() + (areWhole ? " allocated" : " allocated in a bank"), bytes, bytesLater);
            leavesMore |= bytesLater > bytes;
        }
        if (earlier.largestFree().isPresent() && later.largestFree().isPresent()) {
            isCompared = true;
            addAmount(
                    earlier.type() + " largest free block",
                    earlier.largestFree().getAsLong(),
                    later.largestFree().getAsLong());
        }
        isAnyCompared |= isCompared;
        if (!isCompared) {
            notes.add(earlier.type() + " is not compared: the files do not have the same figures of it.");
        }
        if (!earlier.blocks().isEmpty() && !later.blocks().isEmpty()) {
            compareBlocks(earlier, later);
        }
    }

    private void addAmount(String what, long bytes, long bytesLater) {
        if (bytes != bytesLater) {
            amounts.add(String.format(
                    Locale.ROOT,
                    "   %s: %s -> %s, %s%s",
                    what,
                    Quantities.size(bytes),
                    Quantities.size(bytesLater),
                    bytesLater < bytes ? "-" : "+",
                    Quantities.size(Math.abs(bytesLater - bytes))));
        }
    }

    /** More blocks of a size that are new than gone are more memory. */
    private void compareBlocks(ReportedMemory earlier, ReportedMemory later) {
        SortedMap<Long, List<Long>> added = allocatedOnlyIn(later.blocks(), earlier.blocks());
        SortedMap<Long, List<Long>> gone = allocatedOnlyIn(earlier.blocks(), later.blocks());
        added.forEach((size, addresses) -> {
            addBlocks(earlier.type() + " new", size, addresses);
            leavesMore |= addresses.size() > gone.getOrDefault(size, List.of()).size();
        });
        gone.forEach((size, addresses) -> addBlocks(earlier.type() + " gone", size, addresses));
    }

    /** Returns the addresses of blocks of buffers that are not in another list, by their size. */
    private static SortedMap<Long, List<Long>> allocatedOnlyIn(List<MemoryBlock> blocks, List<MemoryBlock> others) {
        Set<MemoryBlock> known = new HashSet<>(others);
        return blocks.stream()
                .filter(block -> block.isAllocated() && !known.contains(block))
                .collect(Collectors.groupingBy(
                        MemoryBlock::size,
                        TreeMap::new,
                        Collectors.mapping(MemoryBlock::address, Collectors.toList())));
    }

    /** Adds a line; the addresses of blocks that lie side by side are one range. */
    private void addBlocks(String what, long size, List<Long> addresses) {
        List<String> places = new ArrayList<>();
        for (int i = 0; i < addresses.size(); i++) {
            int first = i;
            while (i + 1 < addresses.size() && addresses.get(i + 1) == addresses.get(i) + size) {
                i++;
            }
            places.add(Quantities.address(addresses.get(first))
                    + (i == first ? "" : " to " + Quantities.address(addresses.get(i))));
        }
        int more = places.size() - MAX_PLACES;
        blocks.add(String.format(
                Locale.ROOT,
                "   %s: %s of %s in each bank, at %s%s",
                what,
                Quantities.count(addresses.size(), "block"),
                Quantities.size(size),
                places.stream().limit(MAX_PLACES).collect(Collectors.joining(", ")),
                more > 0 ? ", and " + Quantities.count(more, "more place") : ""));
    }
}
