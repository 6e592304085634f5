package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.RandomPrograms.RejectedCall;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * The rules of {@link BankManager} over a {@link NaiveFreeList}, where no address is below a limit.
 *
 * <p>Shares no code with the compared class, except the records of the results.
 */
final class NaiveBanks {

    private final BufferType kind;
    private final int banks;
    private final long pageAlignment;
    private final int cores;
    private final NaiveFreeList bank;

    /** The addresses of the blocks with an owner. */
    private final TreeSet<Long> allocated = new TreeSet<>();

    private boolean tracking;
    private HighWaterMarks marks = new HighWaterMarks(0, 0);

    NaiveBanks(BufferType kind, int banks, AddressRange region, long pageAlignment, long dramAlignment, int cores) {
        this.kind = kind;
        this.banks = banks;
        this.pageAlignment = pageAlignment;
        this.cores = cores;
        this.bank = new NaiveFreeList(region.size(), region.start(), dramAlignment, dramAlignment);
    }

    long allocate(BankRequest request) {
        int over = request.shards().orElse(banks);
        if (request.isSharded() && over > cores) {
            throw new RejectedCall("Expected number of shards " + over
                    + " to be less than or equal to total number of L1 banks " + cores + " in compute cores");
        }
        long pages = request.pageSize() == 0 ? 0 : request.size() / request.pageSize();
        long perBank = (pages + over - 1) / over * roundUp(request.pageSize(), pageAlignment);
        long address = bank.allocate(perBank, request.direction() == AllocationDirection.BOTTOM_UP, 0)
                .orElseThrow(
                        () -> new RejectedCall("Out of Memory: Not enough space to allocate " + request.size() + " B "
                                + kind + " buffer across " + over + " banks, where each bank needs to store " + perBank
                                + " B, but bank size is " + account()));
        allocated.add(address);
        if (tracking) {
            marks = new HighWaterMarks(Math.max(marks.allocation(), address + perBank), marks.deletion());
        }
        return address;
    }

    void deallocate(long address) {
        OptionalLong size = bank.getAllocationSize(address);
        if (size.isPresent() && tracking) {
            marks = new HighWaterMarks(marks.allocation(), Math.max(marks.deletion(), address + size.getAsLong()));
        }
        bank.deallocate(address);
        allocated.remove(address);
    }

    void deallocateAll() {
        allocated.forEach(bank::deallocate);
        allocated.clear();
    }

    void clear() {
        bank.clear();
        allocated.clear();
    }

    OptionalLong lowestOccupiedAddress() {
        return bank.lowestOccupiedAddress();
    }

    void shrinkSize(long size) {
        bank.shrinkSize(size);
    }

    void resetSize() {
        bank.resetSize();
    }

    void beginHighWaterMarkTracking() {
        tracking = true;
        marks = new HighWaterMarks(0, 0);
    }

    HighWaterMarks endHighWaterMarkTracking() {
        tracking = false;
        return marks;
    }

    HighWaterMarks highWaterMarks() {
        return marks;
    }

    Statistics statistics() {
        return bank.statistics();
    }

    List<Long> liveAddresses() {
        return List.copyOf(allocated);
    }

    /** The blocks, with an owner or without, by address. */
    List<AddressRange> taken() {
        return bank.allocatedAddresses().stream()
                .sorted(Comparator.comparingLong(AddressRange::start))
                .toList();
    }

    private String account() {
        Statistics bytes = statistics();
        return bytes.totalAllocatable() + " B (allocated: " + bytes.totalAllocated() + " B, free: " + bytes.totalFree()
                + " B, largest free block: " + bytes.largestFree() + " B)";
    }

    private static long roundUp(long value, long multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }
}
