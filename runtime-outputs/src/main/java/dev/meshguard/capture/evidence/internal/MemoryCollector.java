package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.MemoryReport.Amounts;
import dev.meshguard.capture.evidence.MemoryReport.MemoryBlock;
import dev.meshguard.capture.evidence.MemoryReport.ReportedMemory;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** Collects the numbers of one memory, and checks whether they fit each other. */
final class MemoryCollector {

    private static final int MAX_BLOCKS = 1 << 20;
    private static final int UNIT = 1_024;
    private static final int MAX_BANKS = 1 << 20;

    private final BufferType type;
    /** By how much a number may have been rounded down. */
    private final LongSupplier rounding;

    private Optional<Amounts> fullest = Optional.empty();
    private Optional<Amounts> sum = Optional.empty();
    private int banks;
    private OptionalLong largestFree = OptionalLong.empty();
    private OptionalLong freeOfAllBanks = OptionalLong.empty();

    private final List<MemoryBlock> blocks = new ArrayList<>();
    private long moreBlocks;

    // The section that is being read, of all banks or of one.
    private boolean isInBank;
    private OptionalLong allocatable = OptionalLong.empty();
    private OptionalLong allocated = OptionalLong.empty();
    private OptionalLong free = OptionalLong.empty();

    MemoryCollector(BufferType type, LongSupplier rounding) {
        this.type = type;
        this.rounding = rounding;
    }

    /** Adds a bank. */
    void bank(long itsAllocatable, long itsAllocated, long itsFree, boolean isOneOfAll) {
        Amounts amounts = new Amounts(itsAllocatable, itsAllocated, itsFree, rounding.getAsLong());
        if (fullest.isEmpty() || fullest.get().allocated() < itsAllocated) {
            fullest = Optional.of(amounts);
        }
        if (isOneOfAll) {
            banks++;
            add(amounts);
        }
    }

    private void add(Amounts amounts) {
        sum = sum.map(before -> new Amounts(
                        Quantities.saturatedSum(before.allocatable(), amounts.allocatable()),
                        Quantities.saturatedSum(before.allocated(), amounts.allocated()),
                        Quantities.saturatedSum(before.free(), amounts.free()),
                        Quantities.saturatedSum(before.rounding(), amounts.rounding())))
                .or(() -> Optional.of(amounts));
    }

    /** Records the largest free block of a bank; an interleaved buffer needs one in each. */
    void largestFree(long bytes) {
        largestFree = OptionalLong.of(Math.min(bytes, largestFree.orElse(Long.MAX_VALUE)));
    }

    void freeOfAllBanks(long bytes) {
        freeOfAllBanks = OptionalLong.of(bytes);
    }

    /** Begins the totals of all banks, or of some in the oldest files. */
    void sectionBegan() {
        endSection();
        isInBank = false;
    }

    /** Begins the totals of one bank. */
    void bankBegan() {
        endSection();
        isInBank = true;
    }

    void total(String what, long bytes) {
        switch (what) {
            case "Total allocatable" -> allocatable = OptionalLong.of(bytes);
            case "Total allocated" -> allocated = OptionalLong.of(bytes);
            case "Total free" -> free = OptionalLong.of(bytes);
            default -> largestFree(bytes);
        }
    }

    private void endSection() {
        if (allocatable.isPresent() && allocated.isPresent() && free.isPresent()) {
            if (isInBank) {
                bank(allocatable.getAsLong(), allocated.getAsLong(), free.getAsLong(), false);
                banks++;
            } else {
                add(new Amounts(
                        allocatable.getAsLong(), allocated.getAsLong(), free.getAsLong(), rounding.getAsLong()));
            }
        }
        allocatable = OptionalLong.empty();
        allocated = OptionalLong.empty();
        free = OptionalLong.empty();
    }

    /** Adds a block; the oldest files have those of each bank, which are not kept. */
    void block(long address, long size, boolean isAllocated) {
        if (isInBank) {
            return;
        }
        if (blocks.size() < MAX_BLOCKS) {
            blocks.add(new MemoryBlock(address, size, isAllocated));
        } else {
            moreBlocks++;
        }
    }

    /** Returns the memory; empty if the file has no number of it. */
    Optional<ReportedMemory> reported(List<String> notes) {
        endSection();
        sum.filter(all -> !addsUp(all)).ifPresent(all -> notes.add(contradiction("all banks", all)));
        if (sum.isEmpty()) {
            fullest.filter(bank -> !addsUp(bank)).ifPresent(bank -> notes.add(contradiction("a bank", bank)));
        }
        if (sum.isEmpty() && fullest.isEmpty() && largestFree.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(blocks.isEmpty() ? withoutBlocks() : withBlocks(notes));
    }

    private static boolean addsUp(Amounts amounts) {
        long parts = Quantities.saturatedSum(amounts.allocated(), amounts.free());
        return parts <= Quantities.saturatedSum(amounts.allocatable(), amounts.rounding())
                && Quantities.saturatedSum(parts, 2 * amounts.rounding()) >= amounts.allocatable();
    }

    private String contradiction(String what, Amounts amounts) {
        return String.format(
                Locale.ROOT,
                "It contradicts itself: %s of %s have %s, and %s in buffers and %s free are %s.",
                what,
                type,
                Quantities.size(amounts.allocatable()),
                Quantities.size(amounts.allocated()),
                Quantities.size(amounts.free()),
                Quantities.size(Quantities.saturatedSum(amounts.allocated(), amounts.free())));
    }

    private ReportedMemory withoutBlocks() {
        OptionalInt known = banks > 0 ? OptionalInt.of(banks) : banksOfFree();
        return new ReportedMemory(type, known, fullest, sum, largestFree, List.of());
    }

    /** The summary of L1 has the largest free block of a bank, and the same times the number of banks. */
    private OptionalInt banksOfFree() {
        long largest = largestFree.orElse(0);
        long times = largest == 0 ? 0 : freeOfAllBanks.orElse(0) / largest;
        return times > 0 && times <= MAX_BANKS && times * largest == freeOfAllBanks.orElse(0)
                ? OptionalInt.of((int) times)
                : OptionalInt.empty();
    }

    // Blocks

    private ReportedMemory withBlocks(List<String> notes) {
        List<MemoryBlock> sorted = blocks.stream()
                .sorted(Comparator.comparingLong(MemoryBlock::address))
                .toList();
        for (long unit : rounding.getAsLong() > 0 ? new long[] {UNIT, 1} : new long[] {1}) {
            Optional<ReportedMemory> fitting = withBlocks(sorted, unit);
            if (fitting.isPresent()) {
                return fitting.get();
            }
        }
        notes.add(String.format(
                Locale.ROOT,
                "The blocks of %s are not used: %s, which do not add up to its totals.",
                type,
                moreBlocks > 0 ? "there are more than " + MAX_BLOCKS : Quantities.count(blocks.size(), "block")));
        return withoutBlocks();
    }

    /** Returns the memory with its blocks, if they lie side by side and have the totals in some number of banks. */
    private Optional<ReportedMemory> withBlocks(List<MemoryBlock> sorted, long unit) {
        long slack = unit - 1;
        List<MemoryBlock> inBytes = new ArrayList<>();
        long end = 0;
        long taken = 0;
        long largest = 0;
        for (MemoryBlock block : sorted) {
            if (block.size() > Long.MAX_VALUE / UNIT || block.address() > Long.MAX_VALUE / UNIT) {
                return Optional.empty();
            }
            MemoryBlock one = new MemoryBlock(block.address() * unit, block.size() * unit, block.isAllocated());
            if (one.address() < end || one.address() > end + 2 * slack) {
                return Optional.empty();
            }
            end = one.address() + one.size();
            taken += one.isAllocated() ? one.size() : 0;
            largest = Math.max(largest, one.isAllocated() ? 0 : one.size());
            inBytes.add(one);
        }
        if (moreBlocks > 0 || sum.isEmpty() || end <= 0) {
            return Optional.empty();
        }
        long most = slack * sorted.size();
        Amounts all = sum.get();
        long count = Math.round((double) all.allocatable() / end);
        if (count < 1
                || count > MAX_BANKS
                || !isNear(all.allocatable(), count * end, count * most + all.rounding())
                || !isNear(all.allocated(), count * taken, count * most + all.rounding())) {
            return Optional.empty();
        }
        return Optional.of(new ReportedMemory(
                type,
                OptionalInt.of((int) count),
                Optional.of(new Amounts(end, taken, end - taken, most)),
                sum,
                OptionalLong.of(largest),
                inBytes));
    }

    private static boolean isNear(long number, long other, long tolerance) {
        return Math.abs(number - other) <= tolerance;
    }
}
