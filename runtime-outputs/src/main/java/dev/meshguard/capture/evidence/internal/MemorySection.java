package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.event.BufferType;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The part of a memory report about one memory: its totals over all banks with the blocks of one, or a row of a summary. */
final class MemorySection {

    /** The totals in their order; a row of a summary also has the largest free block. */
    static final List<String> TOTALS = List.of("Total allocatable", "Total allocated", "Total free");

    private static final int OF_SUMMARY = TOTALS.size() + 1;
    private static final int MAX_BANKS = 1 << 20;

    final BufferType type;
    /** The totals, in bytes. */
    final List<Long> figures = new ArrayList<>();
    /** The blocks, in the unit of the file. */
    final List<MemoryBlock> blocks = new ArrayList<>();

    MemorySection(BufferType type) {
        this.type = type;
    }

    /** Returns whether the next total has this label. */
    boolean expects(String label) {
        return figures.size() < TOTALS.size() && TOTALS.get(figures.size()).equals(label);
    }

    /**
     * Returns the memory.
     *
     * @param rounding at most so many bytes were lost by each number
     * @param notes receives why the memory, or its blocks, cannot be used
     * @return empty if its figures are cut or contradict each other
     */
    Optional<ReportedMemory> memory(long rounding, List<String> notes) {
        if (figures.size() < TOTALS.size()) {
            return unused("\"" + TOTALS.get(figures.size()) + "\" is missing", notes);
        }
        Amounts amounts = new Amounts(figures.get(0), figures.get(1), figures.get(2), rounding);
        long parts = amounts.allocated() + amounts.free();
        if (parts > amounts.allocatable() + rounding || parts + 2 * rounding < amounts.allocatable()) {
            return unused(
                    Quantities.size(amounts.allocated()) + " in buffers and " + Quantities.size(amounts.free())
                            + " free are not " + Quantities.size(amounts.allocatable()) + " in all",
                    notes);
        }
        if (figures.size() < OF_SUMMARY) {
            return inUnit(1 + rounding, amounts)
                    .or(() -> inUnit(1, amounts))
                    .or(() -> Optional.of(withoutBlocks(amounts, notes)));
        }
        long largest = figures.get(3);
        return largest > amounts.free() + rounding
                ? unused(
                        "a free block of " + Quantities.size(largest) + " is larger than the "
                                + Quantities.size(amounts.free()) + " that are free",
                        notes)
                : Optional.of(new ReportedMemory(
                        type,
                        OptionalInt.empty(),
                        Optional.of(amounts),
                        Optional.empty(),
                        OptionalLong.of(largest),
                        List.of()));
    }

    private Optional<ReportedMemory> unused(String defect, List<String> notes) {
        notes.add("The figures of " + type + " are not used: " + defect + ".");
        return Optional.empty();
    }

    private ReportedMemory withoutBlocks(Amounts all, List<String> notes) {
        notes.add("The blocks of " + type + " are not used: "
                + (blocks.isEmpty() ? "they are missing." : "they do not add up to its totals."));
        return new ReportedMemory(
                type, OptionalInt.empty(), Optional.empty(), Optional.of(all), OptionalLong.empty(), List.of());
    }

    /** Returns the memory with its blocks, if they lie side by side and have the totals in some number of banks. */
    private Optional<ReportedMemory> inUnit(long unit, Amounts all) {
        List<MemoryBlock> inBytes = blocks.stream()
                .map(block -> new MemoryBlock(block.address() * unit, block.size() * unit, block.isAllocated()))
                .sorted(Comparator.comparingLong(MemoryBlock::address))
                .toList();
        long slack = unit - 1;
        // The allocators of sub-devices may have the lowest addresses.
        long first = inBytes.isEmpty() ? 0 : inBytes.get(0).address();
        long end = first;
        long taken = 0;
        long largest = 0;
        for (MemoryBlock block : inBytes) {
            if (block.address() < end || block.address() > end + 2 * slack) {
                return Optional.empty();
            }
            end = block.address() + block.size();
            taken += block.isAllocated() ? block.size() : 0;
            largest = Math.max(largest, block.isAllocated() ? 0 : block.size());
        }
        long bank = end - first;
        long lost = slack * inBytes.size();
        long banks = bank == 0 ? 1 : Math.round((double) all.allocatable() / bank);
        long tolerance = banks * lost + all.rounding();
        boolean areOfTotals = !inBytes.isEmpty()
                && banks >= 1
                && banks <= MAX_BANKS
                && Math.abs(all.allocatable() - banks * bank) <= tolerance
                && Math.abs(all.allocated() - banks * taken) <= tolerance;
        return areOfTotals
                ? Optional.of(new ReportedMemory(
                        type,
                        bank == 0 ? OptionalInt.empty() : OptionalInt.of((int) banks),
                        Optional.of(new Amounts(bank, taken, bank - taken, lost)),
                        Optional.of(all),
                        OptionalLong.of(largest),
                        inBytes))
                : Optional.empty();
    }
}
