package dev.meshguard.mesh.allocator;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The addresses of one kind of memory in strict mode, where a freed address is not reused for a while.
 *
 * <p>The allocator allocates and frees physical addresses as the runtime would; only the addresses that programs see differ.
 * Blocking the freed blocks instead would change what fits and which addresses collide, so a correct program could fail. There
 * are therefore two ledgers. The allocator's ledger defines what fits. This one maps each physical address to an address that
 * is neither in use nor withheld:
 * <ol>
 *   <li>the physical address itself, if it is available
 *   <li>else the next available one in the direction of the request
 *   <li>else the address that was withheld longest
 *   <li>else, if all addresses are in use in too small pieces, one beyond the end of the memory
 * </ol>
 *
 * <p>Not thread-safe.
 */
final class StrictAddresses {

    /** Room for more addresses than any program can use up. */
    static final long ROOM_BEYOND = 1L << 50;

    private final int withheldAtMost;
    private final long start;
    private final FreeListOpt within;
    private final FreeListOpt beyond;
    private final Map<Long, Long> physicalAddresses = new HashMap<>();
    private final Deque<Long> withheld = new ArrayDeque<>();
    private long removedBytes;

    /**
     * Creates the addresses of a memory without allocations.
     *
     * @param withheldAtMost how many addresses are withheld
     * @param region the managed range
     * @param end an address that is not within any memory on the chip
     * @param alignment the multiple to which every allocation is rounded up
     */
    StrictAddresses(int withheldAtMost, AddressRange region, long end, long alignment) {
        this.withheldAtMost = withheldAtMost;
        this.start = region.size() == 0 ? 0 : region.start();
        this.within = new FreeListOpt(region.size(), start, alignment, alignment, SearchPolicy.FIRST);
        long aligned = Rounding.up(end, alignment);
        this.beyond = new FreeListOpt(ROOM_BEYOND, aligned, alignment, alignment, SearchPolicy.FIRST);
    }

    /** Returns the address that programs see for a newly allocated physical address. */
    long allocate(long place, long size, AllocationDirection direction) {
        long address = unused(place, size, direction);
        physicalAddresses.put(address, place);
        return address;
    }

    /** Withholds a freed address and returns the physical address to free; empty if the address is not allocated. */
    OptionalLong free(long address) {
        Long place = physicalAddresses.remove(address);
        if (place == null) {
            return OptionalLong.empty();
        }
        withheld.addLast(address);
        if (withheld.size() > withheldAtMost) {
            release();
        }
        return OptionalLong.of(place);
    }

    /** Returns the physical address of an address that programs see; empty if it is not allocated. */
    OptionalLong physicalAddressOf(long address) {
        Long place = physicalAddresses.get(address);
        return place == null ? OptionalLong.empty() : OptionalLong.of(place);
    }

    /** Returns the address that programs see of each allocated physical address. */
    Map<Long, Long> byPhysicalAddress() {
        Map<Long, Long> addresses = new HashMap<>();
        physicalAddresses.forEach((address, place) -> addresses.put(place, address));
        return addresses;
    }

    /** Returns the allocated addresses in ascending order. */
    long[] allocated() {
        return physicalAddresses.keySet().stream()
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
    }

    /** Removes everything, also the withheld addresses, because the device's open period has ended. */
    void clear() {
        within.clear();
        beyond.clear();
        physicalAddresses.clear();
        withheld.clear();
        removedBytes = 0;
    }

    /** Stops returning addresses of the lowest bytes, unless such an address is in use. */
    void shrink(long size) {
        while (!withheld.isEmpty()) {
            release();
        }
        long cut = start + removedBytes + size;
        if (within.allocatedAddresses().stream().noneMatch(range -> range.start() < cut)) {
            within.shrinkSize(size);
            removedBytes += size;
        }
    }

    void resetSize() {
        within.resetSize();
        removedBytes = 0;
    }

    private long unused(long place, long size, AllocationDirection direction) {
        while (true) {
            OptionalLong found = within.allocateAtAddress(place, size);
            if (found.isEmpty()) {
                found = within.allocate(size, direction.isBottomUp());
            }
            if (found.isPresent()) {
                return found.getAsLong();
            }
            if (withheld.isEmpty()) {
                return beyond.allocate(size).orElseThrow();
            }
            release();
        }
    }

    private void release() {
        long oldest = withheld.removeFirst();
        within.deallocate(oldest);
        beyond.deallocate(oldest);
    }
}
