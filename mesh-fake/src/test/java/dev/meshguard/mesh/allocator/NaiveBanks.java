package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.RandomPrograms.RejectedCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rules of {@link BankManager} in the simplest form: every eight bytes of the region are checked one by one.
 *
 * <p>Shares no code with the compared class, except the records of the results. All sizes and addresses must be multiples of
 * eight.
 */
final class NaiveBanks {

    private static final long UNIT = 8;

    final BufferType kind;
    final int banks;
    final long start;
    final long end;
    final long limit;
    final long pageAlignment;
    final long dramAlignment;
    final int cores;
    /** The end of each reserved block, by its start. */
    private final TreeMap<Long, Long> ends = new TreeMap<>();

    /** The starts of the blocks with an owner. */
    private final TreeSet<Long> allocated = new TreeSet<>();

    private OptionalLong lowest = OptionalLong.empty();
    private long shrunk;
    private boolean tracking;
    private HighWaterMarks marks = new HighWaterMarks(0, 0);

    NaiveBanks(
            BufferType kind,
            int banks,
            AddressRange region,
            long limit,
            long pageAlignment,
            long dramAlignment,
            int cores) {
        this.kind = kind;
        this.banks = banks;
        this.start = region.start();
        this.end = region.end();
        this.limit = limit;
        this.pageAlignment = pageAlignment;
        this.dramAlignment = dramAlignment;
        this.cores = cores;
    }

    long allocate(BankRequest request) {
        if (request.isSharded() && request.shards().getAsInt() > cores) {
            throw new RejectedCall(
                    "Expected number of shards " + request.shards().getAsInt()
                            + " to be less than or equal to total number of L1 banks " + cores + " in compute cores");
        }
        int over = request.shards().orElse(banks);
        long pages = request.pageSize() == 0 ? 0 : request.size() / request.pageSize();
        long perBank = (pages + over - 1) / over * roundUp(request.pageSize(), pageAlignment);
        long lowestAllowed = kind == BufferType.L1 && !request.isSharded() ? limit : 0;
        if (kind == BufferType.L1 && !request.isSharded() && limit <= 0) {
            throw new RejectedCall("Address limit " + limit + " needs to be larger than zero.");
        }
        boolean up = request.direction() == AllocationDirection.BOTTOM_UP;
        long address = place(request, over, perBank, up, lowestAllowed);
        lowest = OptionalLong.of(Math.min(address, lowest.orElse(address)));
        allocated.add(address);
        if (tracking) {
            marks = new HighWaterMarks(Math.max(marks.allocation(), address + perBank), marks.deletion());
        }
        return address;
    }

    void deallocate(long address) {
        Long blockEnd = ends.get(address);
        if (blockEnd != null && tracking) {
            marks = new HighWaterMarks(marks.allocation(), Math.max(marks.deletion(), blockEnd));
        }
        release(address);
        allocated.remove(address);
    }

    void deallocateAll() {
        allocated.forEach(this::release);
        allocated.clear();
    }

    void clear() {
        shrunk = 0;
        ends.clear();
        allocated.clear();
    }

    OptionalLong lowestOccupiedAddress() {
        return lowest;
    }

    void shrinkSize(long size) {
        if (size == 0) {
            return;
        }
        if (size > bankSize()) {
            throw new RejectedCall("Shrink size " + size + " must be smaller than max size " + bankSize());
        }
        if (ends.lowerKey(start + shrunk + size) != null) {
            throw new RejectedCall("Shrink size " + (shrunk + size) + " cuts into allocated block");
        }
        shrunk += size;
    }

    void resetSize() {
        shrunk = 0;
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
        long free = 0;
        long largest = 0;
        long run = 0;
        for (boolean unitIsFree : freeUnits()) {
            run = unitIsFree ? run + UNIT : 0;
            free += unitIsFree ? UNIT : 0;
            largest = Math.max(largest, run);
        }
        return new Statistics(bankSize(), bankSize() - free, free, largest);
    }

    List<Long> liveAddresses() {
        return List.copyOf(allocated);
    }

    /** The reserved blocks, with an owner or without, by address. */
    List<AddressRange> taken() {
        List<AddressRange> taken = new ArrayList<>();
        ends.forEach((blockStart, blockEnd) -> taken.add(new AddressRange(blockStart, blockEnd)));
        return taken;
    }

    long bankSize() {
        return end - start - shrunk;
    }

    private void release(long address) {
        if (!ends.containsKey(address)) {
            return;
        }
        if (lowest.isEmpty()) {
            throw new RejectedCall("Lowest occupied address should have a value");
        }
        ends.remove(address);
        if (address <= lowest.getAsLong()) {
            Long higher = ends.higherKey(address);
            lowest = higher == null ? OptionalLong.empty() : OptionalLong.of(higher);
        }
    }

    private long place(BankRequest request, int over, long perBank, boolean up, long lowestAllowed) {
        long rounded = rounded(perBank);
        long address = find(rounded, up, freeUnits())
                .orElseThrow(
                        () -> new RejectedCall("Out of Memory: Not enough space to allocate " + request.size() + " B "
                                + kind + " buffer across " + over + " banks, where each bank needs to store " + perBank
                                + " B, but bank size is " + account()));
        ends.put(address, address + rounded);
        if (address < lowestAllowed) {
            throw new RejectedCall("Out of Memory: Cannot allocate at an address below " + lowestAllowed
                    + ". Allocation at " + address);
        }
        return address;
    }

    private boolean[] freeUnits() {
        boolean[] free = new boolean[unit(end)];
        Arrays.fill(free, true);
        ruleOut(free, start, start + shrunk);
        ends.forEach((from, to) -> ruleOut(free, from, to));
        return free;
    }

    /** Rules out the units of a range, as far as they lie in the region. */
    private void ruleOut(boolean[] units, long from, long to) {
        for (int i = Math.max(0, unit(from)); i < Math.min(units.length, unit(to)); i++) {
            units[i] = false;
        }
    }

    private int unit(long address) {
        return (int) ((address - start) / UNIT);
    }

    /** The first place, from one end, at which every unit of the size may be used. */
    private OptionalLong find(long size, boolean up, boolean[] usable) {
        int units = (int) (size / UNIT);
        for (int i = 0; i < usable.length; i++) {
            int first = up ? i : usable.length - i - units;
            int anchor = up ? first : first + units - 1;
            if (first >= 0 && usable[anchor] && all(usable, first, units)) {
                return OptionalLong.of(start + first * UNIT);
            }
        }
        return OptionalLong.empty();
    }

    private static boolean all(boolean[] usable, int first, int count) {
        if (first + count > usable.length) {
            return false;
        }
        for (int i = first; i < first + count; i++) {
            if (!usable[i]) {
                return false;
            }
        }
        return true;
    }

    private String account() {
        Statistics bank = statistics();
        return bank.totalAllocatable() + " B (allocated: " + bank.totalAllocated() + " B, free: " + bank.totalFree()
                + " B, largest free block: " + bank.largestFree() + " B)";
    }

    private long rounded(long perBank) {
        return roundUp(Math.max(perBank, dramAlignment), dramAlignment);
    }

    private static long roundUp(long value, long multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }
}
