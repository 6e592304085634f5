package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The part of a memory report about one memory, of all its banks or of one. */
final class MemorySection {

    /** A number of a section. */
    enum Figure {
        ALLOCATABLE("Total allocatable"),
        ALLOCATED("Total allocated"),
        FREE("Total free"),
        /** The largest free block of a bank. */
        LARGEST_FREE("Largest free block");

        private final String label;

        Figure(String label) {
            this.label = label;
        }

        static Figure of(String label) {
            for (Figure figure : values()) {
                if (figure.label.equals(label)) {
                    return figure;
                }
            }
            throw new IllegalArgumentException(label);
        }
    }

    static final int MAX_BANKS = 1 << 20;

    private final boolean isBank;
    private final Map<Figure, Long> figures = new EnumMap<>(Figure.class);
    private final List<MemoryBlock> blocks = new ArrayList<>();

    MemorySection(boolean isBank) {
        this.isBank = isBank;
    }

    /** Adds a figure in bytes; returns whether the section had none of its kind. */
    boolean add(Figure figure, long bytes) {
        return figures.putIfAbsent(figure, bytes) == null;
    }

    /** Adds a block, in the unit of the file. */
    void add(MemoryBlock block) {
        blocks.add(block);
    }

    /**
     * Returns a memory by its sections.
     *
     * @param rounding at most so many bytes were lost by each number
     * @param notes receives why the memory, or its blocks, cannot be used
     * @return empty if a section is cut or contradicts itself
     */
    static Optional<ReportedMemory> memory(
            BufferType type, List<MemorySection> sections, long rounding, List<String> notes) {
        Optional<String> defect = sections.stream()
                .flatMap(section -> section.defect(rounding).stream())
                .findFirst();
        if (defect.isPresent()) {
            notes.add("The figures of " + type + " are not used: " + defect.get() + ".");
            return Optional.empty();
        }
        List<MemorySection> banks =
                sections.stream().filter(section -> section.isBank).toList();
        Optional<Amounts> all = sections.stream()
                .filter(section -> !section.isBank)
                .map(section -> section.amounts(rounding))
                .reduce(MemorySection::sum);
        if (banks.isEmpty()) {
            return Optional.of(sections.get(0).withBlocks(type, all.orElseThrow(), rounding, notes));
        }
        return Optional.of(new ReportedMemory(
                type,
                all.isPresent() ? OptionalInt.of(banks.size()) : OptionalInt.empty(),
                banks.stream()
                        .map(section -> section.amounts(rounding))
                        .reduce((fullest, bank) -> bank.allocated() > fullest.allocated() ? bank : fullest),
                all,
                banks.stream() // An interleaved buffer needs a block in each bank.
                        .mapToLong(bank -> bank.bytes(Figure.LARGEST_FREE))
                        .min(),
                List.of()));
    }

    private static Amounts sum(Amounts one, Amounts other) {
        return new Amounts(
                Quantities.saturatedSum(one.allocatable(), other.allocatable()),
                Quantities.saturatedSum(one.allocated(), other.allocated()),
                Quantities.saturatedSum(one.free(), other.free()),
                one.rounding() + other.rounding());
    }

    private Amounts amounts(long rounding) {
        return new Amounts(bytes(Figure.ALLOCATABLE), bytes(Figure.ALLOCATED), bytes(Figure.FREE), rounding);
    }

    private long bytes(Figure figure) {
        return figures.getOrDefault(figure, 0L);
    }

    /** Returns why the figures cannot be used, as a part of a sentence; empty if they can. */
    private Optional<String> defect(long rounding) {
        for (Figure figure : Figure.values()) {
            if (!figures.containsKey(figure) && (isBank || figure != Figure.LARGEST_FREE)) {
                return Optional.of("\"" + figure.label + "\" is missing");
            }
        }
        Amounts amounts = amounts(rounding);
        long parts = amounts.allocated() + amounts.free();
        if (parts > amounts.allocatable() + rounding || parts + 2 * rounding < amounts.allocatable()) {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "%s in buffers and %s free are not the %s of %s",
                    Quantities.size(amounts.allocated()),
                    Quantities.size(amounts.free()),
                    Quantities.size(amounts.allocatable()),
                    isBank ? "a bank" : "all banks"));
        }
        long largest = bytes(Figure.LARGEST_FREE);
        return largest > amounts.free() + rounding
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "a free block of %s is larger than the %s that are free",
                        Quantities.size(largest),
                        Quantities.size(amounts.free())))
                : Optional.empty();
    }

    // Blocks

    private ReportedMemory withBlocks(BufferType type, Amounts all, long rounding, List<String> notes) {
        return inUnit(1 + rounding, type, all).or(() -> inUnit(1, type, all)).orElseGet(() -> {
            notes.add("The blocks of " + type + " are not used: "
                    + (blocks.isEmpty()
                            ? "they are missing."
                            : Quantities.count(blocks.size(), "block") + ", which do not add up to its totals."));
            return new ReportedMemory(
                    type, OptionalInt.empty(), Optional.empty(), Optional.of(all), OptionalLong.empty(), List.of());
        });
    }

    /** Returns the memory with its blocks, if they lie side by side and have the totals in some number of banks. */
    private Optional<ReportedMemory> inUnit(long unit, BufferType type, Amounts all) {
        long slack = unit - 1;
        List<MemoryBlock> inBytes = blocks.stream()
                .map(block -> new MemoryBlock(block.address() * unit, block.size() * unit, block.isAllocated()))
                .sorted(Comparator.comparingLong(MemoryBlock::address))
                .toList();
        if (inBytes.isEmpty()) {
            return Optional.empty();
        }
        // The allocators of sub-devices may have the lowest addresses.
        long first = inBytes.get(0).address();
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
        boolean areOfTotals = banks >= 1
                && banks <= MAX_BANKS
                && isNear(all.allocatable(), banks * bank, banks * lost + all.rounding())
                && isNear(all.allocated(), banks * taken, banks * lost + all.rounding());
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

    private static boolean isNear(long number, long other, long tolerance) {
        return Math.abs(number - other) <= tolerance;
    }
}
