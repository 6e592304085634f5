package dev.meshguard.mesh.allocator;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.allocator.BankManager.HighWaterMarks;
import dev.meshguard.mesh.allocator.RandomPrograms.RejectedCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

    /** The state of an allocator: its reserved bytes, those of them with an owner, and its lowest occupied address. */
    private static final class NaiveAllocator {
        final TreeMap<Long, Long> ends = new TreeMap<>();
        final TreeMap<Long, Long> usedEnds = new TreeMap<>();
        final TreeSet<Long> allocated = new TreeSet<>();
        OptionalLong lowest = OptionalLong.empty();
    }

    final BufferType kind;
    final int banks;
    final long start;
    final long end;
    final long limit;
    final long pageAlignment;
    final long dramAlignment;
    final int cores;
    private final List<List<Integer>> avoided;
    private final List<NaiveAllocator> lenders = new ArrayList<>();
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
            int cores,
            List<List<Integer>> avoided) {
        this.kind = kind;
        this.banks = banks;
        this.start = region.start();
        this.end = region.end();
        this.limit = limit;
        this.pageAlignment = pageAlignment;
        this.dramAlignment = dramAlignment;
        this.cores = cores;
        this.avoided = avoided;
        avoided.forEach(unused -> lenders.add(new NaiveAllocator()));
    }

    long allocate(BankRequest request, int id, List<AddressRange> occupied) {
        NaiveAllocator lender = allocator(id);
        if (request.isSharded() && request.shards().getAsInt() > cores) {
            throw new RejectedCall(
                    "Expected number of shards " + request.shards().getAsInt()
                            + " to be less than or equal to total number of L1 banks " + cores + " in compute cores");
        }
        int over = request.shards().orElse(banks);
        long pages = request.pageSize() == 0 ? 0 : request.size() / request.pageSize();
        long perBank = (pages + over - 1) / over * roundUp(request.pageSize(), pageAlignment);
        long lowest = kind == BufferType.L1 && !request.isSharded() ? limit : 0;
        if (kind == BufferType.L1 && !request.isSharded() && limit <= 0) {
            throw new RejectedCall("Address limit " + limit + " needs to be larger than zero.");
        }
        boolean up = request.direction() == AllocationDirection.BOTTOM_UP;
        long address = avoided.get(id).isEmpty() && occupied.isEmpty()
                ? placeAlone(request, id, over, perBank, up, lowest)
                : placeBesideOthers(request, id, over, perBank, up, lowest, occupied);
        lender.lowest = OptionalLong.of(Math.min(address, lender.lowest.orElse(address)));
        lender.allocated.add(address);
        lender.usedEnds.put(address, address + perBank);
        if (tracking) {
            marks = new HighWaterMarks(Math.max(marks.allocation(), address + perBank), marks.deletion());
        }
        return address;
    }

    void deallocate(long address, int id) {
        NaiveAllocator lender = allocator(id);
        Long blockEnd = lender.ends.get(address);
        if (blockEnd != null && tracking) {
            marks = new HighWaterMarks(marks.allocation(), Math.max(marks.deletion(), blockEnd));
        }
        release(lender, address);
        lender.allocated.remove(address);
    }

    void deallocateAll() {
        for (NaiveAllocator lender : lenders) {
            lender.allocated.forEach(address -> release(lender, address));
            lender.allocated.clear();
        }
    }

    void clear() {
        shrunk = 0;
        for (NaiveAllocator lender : lenders) {
            lender.ends.clear();
            lender.usedEnds.clear();
            lender.allocated.clear();
        }
    }

    OptionalLong lowestOccupiedAddress(int id) {
        return allocator(id).lowest;
    }

    void shrinkSize(long size, boolean up) {
        requireOneAllocator();
        if (size == 0) {
            return;
        }
        if (!up) {
            throw new RejectedCall("Shrinking from the top is currently not supported");
        }
        if (size > bankSize()) {
            throw new RejectedCall("Shrink size " + size + " must be smaller than max size " + bankSize());
        }
        if (lenders.get(0).ends.lowerKey(start + shrunk + size) != null) {
            throw new RejectedCall("Shrink size " + (shrunk + size) + " cuts into allocated block");
        }
        shrunk += size;
    }

    void resetSize() {
        requireOneAllocator();
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

    Statistics statistics(int id) {
        NaiveAllocator lender = allocator(id);
        long free = 0;
        long largest = 0;
        long run = 0;
        for (boolean unitIsFree : freeUnits(lender)) {
            run = unitIsFree ? run + UNIT : 0;
            free += unitIsFree ? UNIT : 0;
            largest = Math.max(largest, run);
        }
        return new Statistics(bankSize(), bankSize() - free, free, largest);
    }

    List<Long> liveAddresses() {
        return lenders.stream()
                .flatMap(lender -> lender.allocated.stream())
                .sorted()
                .toList();
    }

    /** What an allocator has taken, lent or not, by address. */
    List<AddressRange> taken(int id) {
        return ranges(allocator(id).ends);
    }

    /** What of an allocator's memory its borrowers use, that is, before sizes are rounded. */
    List<AddressRange> used(int id) {
        return ranges(allocator(id).usedEnds);
    }

    private static List<AddressRange> ranges(Map<Long, Long> ends) {
        var ranges = new ArrayList<AddressRange>();
        ends.forEach((blockStart, blockEnd) -> ranges.add(new AddressRange(blockStart, blockEnd)));
        return ranges;
    }

    int allocatorCount() {
        return lenders.size();
    }

    List<Integer> avoidedBy(int id) {
        return avoided.get(id);
    }

    long bankSize() {
        return end - start - shrunk;
    }

    private NaiveAllocator allocator(int id) {
        if (id >= lenders.size()) {
            throw new RejectedCall("Invalid allocator ID " + id + " (num_allocators=" + lenders.size() + ")");
        }
        return lenders.get(id);
    }

    private void requireOneAllocator() {
        if (lenders.size() != 1) {
            throw new RejectedCall("Expected single allocator!");
        }
    }

    private void release(NaiveAllocator lender, long address) {
        if (!lender.ends.containsKey(address)) {
            return;
        }
        if (lender.lowest.isEmpty()) {
            throw new RejectedCall("Lowest occupied address should have a value");
        }
        lender.ends.remove(address);
        lender.usedEnds.remove(address);
        if (address <= lender.lowest.getAsLong()) {
            Long higher = lender.ends.higherKey(address);
            lender.lowest = higher == null ? OptionalLong.empty() : OptionalLong.of(higher);
        }
    }

    private long placeAlone(BankRequest request, int id, int over, long perBank, boolean up, long lowest) {
        NaiveAllocator lender = allocator(id);
        long rounded = rounded(perBank);
        long address = find(rounded, up, freeUnits(lender))
                .orElseThrow(
                        () -> new RejectedCall("Out of Memory: Not enough space to allocate " + request.size() + " B "
                                + kind + " buffer across " + over + " banks, where each bank needs to store " + perBank
                                + " B, but bank size is " + account(id)));
        lender.ends.put(address, address + rounded);
        if (address < lowest) {
            throw new RejectedCall(
                    "Out of Memory: Cannot allocate at an address below " + lowest + ". Allocation at " + address);
        }
        return address;
    }

    /** Where nobody is in the way, in a block of the allocator's own that is large enough for the rounded size. */
    private long placeBesideOthers(
            BankRequest request, int id, int over, long perBank, boolean up, long lowest, List<AddressRange> occupied) {
        NaiveAllocator lender = allocator(id);
        int rounded = (int) (rounded(perBank) / UNIT);
        boolean[] own = freeUnits(lender);
        boolean[] usable = new boolean[own.length];
        for (int i = 0; i < own.length; i++) {
            if (all(own, i, rounded)) {
                Arrays.fill(usable, i, i + rounded, true);
            }
        }
        ruleOut(usable, start, lowest);
        avoided.get(id).forEach(other -> lenders.get(other).ends.forEach((from, to) -> ruleOut(usable, from, to)));
        occupied.forEach(range -> ruleOut(usable, range.start(), range.end()));
        long address = find(perBank, up, usable)
                .orElseThrow(() -> new RejectedCall("Out of Memory: Not enough space after considering dependencies to"
                        + " allocate " + request.size() + " B " + kind + " across " + over + " banks (" + perBank
                        + " B per bank), bank size is " + account(id)));
        if (address % pageAlignment != 0) {
            throw new RejectedCall("Chosen address " + address + " is not aligned to " + pageAlignment + " B");
        }
        if (!all(own, unit(address), rounded)) {
            throw new RejectedCall("Allocator failed to place at chosen address " + address);
        }
        lender.ends.put(address, address + rounded * UNIT);
        return address;
    }

    private boolean[] freeUnits(NaiveAllocator lender) {
        boolean[] free = new boolean[unit(end)];
        Arrays.fill(free, true);
        ruleOut(free, start, start + shrunk);
        lender.ends.forEach((from, to) -> ruleOut(free, from, to));
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

    private String account(int id) {
        Statistics bank = statistics(id);
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
