package dev.meshguard.cli;

import dev.meshguard.capture.evidence.MemoryReport;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.cli.Diff.Comparison;
import dev.meshguard.cli.terminal.UsageException;
import dev.meshguard.event.BufferType;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Compares the memory of one device at the moments of two memory reports. */
final class ReportDifference {

    private static final int MAX_PLACES = 8;
    private static final String ALLOCATED = "allocated";
    private static final String ALLOCATED_IN_A_BANK = "allocated in a bank";
    private static final String LARGEST_FREE = "largest free block";

    private final List<String> amounts = new ArrayList<>();
    private final List<String> blocks = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private boolean isAnyCompared;
    private boolean leavesMore;

    private ReportDifference() {}

    /**
     * Compares two reports.
     *
     * @throws UsageException if they have no figures of the same memory
     */
    static Comparison between(MemoryReport before, MemoryReport after) throws UsageException {
        return new ReportDifference().comparison(before, after);
    }

    private Comparison comparison(MemoryReport before, MemoryReport after) throws UsageException {
        if (before.isRounded() != after.isRounded()) {
            throw new UsageException((before.isRounded() ? before : after).name()
                    + " is of a version that rounds down to KiB: give two reports of one version.");
        }
        for (MemoryReport file : List.of(before, after)) {
            file.notes().forEach(note -> notes.add(file.name() + ": " + note));
        }
        for (BufferType type : BufferType.values()) {
            Optional<ReportedMemory> earlier = memory(before, type);
            Optional<ReportedMemory> later = memory(after, type);
            if (earlier.isPresent() && later.isPresent()) {
                compareFigures(type, figures(earlier.get()), figures(later.get()));
                compareBlocks(type, earlier.get().blocks(), later.get().blocks());
            } else if (earlier.isPresent() || later.isPresent()) {
                notes.add(type + " is only in " + (earlier.isPresent() ? before.name() : after.name()) + ".");
            }
        }
        if (!isAnyCompared) {
            throw new UsageException(before.name() + " and " + after.name()
                    + " have no figures of the same memory: give two reports of one kind, both whole.");
        }
        amounts.addAll(blocks);
        boolean isSame = amounts.isEmpty();
        amounts.add(0, isSame ? "SAME USAGE  no difference" : "CHANGED  between the two moments");
        return new Comparison(isSame, leavesMore, amounts, notes);
    }

    private static Optional<ReportedMemory> memory(MemoryReport report, BufferType type) {
        return report.memories().stream()
                .filter(memory -> memory.type() == type)
                .findFirst();
    }

    private static Map<String, Long> figures(ReportedMemory memory) {
        Map<String, Long> figures = new LinkedHashMap<>();
        memory.all().ifPresent(all -> figures.put(ALLOCATED, all.allocated()));
        memory.bank().ifPresent(bank -> figures.put(ALLOCATED_IN_A_BANK, bank.allocated()));
        memory.largestFree().ifPresent(bytes -> figures.put(LARGEST_FREE, bytes));
        return figures;
    }

    /** Compares the figures that both files have; those of all banks say more than those of one. */
    private void compareFigures(BufferType type, Map<String, Long> earlier, Map<String, Long> later) {
        earlier.keySet().retainAll(later.keySet());
        if (earlier.containsKey(ALLOCATED)) {
            earlier.remove(ALLOCATED_IN_A_BANK);
        }
        if (earlier.isEmpty()) {
            notes.add(type + " is not compared: the files do not have the same figures of it.");
        } else {
            isAnyCompared = true;
        }
        earlier.forEach((figure, bytes) -> {
            long change = later.getOrDefault(figure, bytes) - bytes;
            leavesMore |= change > 0 && !figure.equals(LARGEST_FREE);
            if (change != 0) {
                amounts.add("   " + type + " " + figure + ": " + Quantities.size(bytes) + " -> "
                        + Quantities.size(bytes + change) + (change < 0 ? ", -" : ", +")
                        + Quantities.size(Math.abs(change)));
            }
        });
    }

    /** More blocks of a size that are new than gone are more memory. */
    private void compareBlocks(BufferType type, List<MemoryBlock> earlier, List<MemoryBlock> later) {
        if (earlier.isEmpty() || later.isEmpty()) {
            return;
        }
        SortedMap<Long, List<Long>> added = allocatedOnlyIn(later, earlier);
        SortedMap<Long, List<Long>> gone = allocatedOnlyIn(earlier, later);
        added.forEach((size, addresses) -> {
            addBlocks(type + " new", size, addresses);
            leavesMore |= addresses.size() > gone.getOrDefault(size, List.of()).size();
        });
        gone.forEach((size, addresses) -> addBlocks(type + " gone", size, addresses));
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
        blocks.add("   " + what + ": " + Quantities.count(addresses.size(), "block") + " of " + Quantities.size(size)
                + " in each bank, at "
                + places.stream().limit(MAX_PLACES).collect(Collectors.joining(", "))
                + (more > 0 ? ", and " + Quantities.count(more, "more place") : ""));
    }
}
