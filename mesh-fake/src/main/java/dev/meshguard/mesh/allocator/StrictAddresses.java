package dev.meshguard.mesh.allocator;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The addresses of one kind of memory as a strict program sees them: one that was given back is not seen again for a while.
 *
 * <p>Memory is taken and given back where the runtime would, and only its name differs. To keep blocks from being taken again
 * instead would change what fits, and where programs clash with it: a program without fault could fail. So there are two books. The
 * allocator's says what fits; this one finds for every place an address which is neither in use nor withheld: the place itself if
 * it can be had, else the next in the direction of the request, else what was withheld longest. When all of it is in use, in pieces
 * too small, it lies beyond the end of the memory. Not thread-safe.
 */
final class StrictAddresses {

    /** Room for so many names that nobody can use them up. */
    static final long ROOM_BEYOND = 1L << 50;

    private final int withheldAtMost;
    private final long start;
    private final FreeListOpt within;
    private final FreeListOpt beyond;
    private final Map<Long, Long> physicalAddresses = new HashMap<>();
    private final Deque<Long> withheld = new ArrayDeque<>();
    private long givenUp;

    /**
     * Creates the addresses of a memory of which nothing is lent.
     *
     * @param withheldAtMost how many addresses are withheld
     * @param region what is lent
     * @param end an address that is not within any memory on the chip
     * @param alignment what every allocation is rounded up to
     */
    StrictAddresses(int withheldAtMost, AddressRange region, long end, long alignment) {
        this.withheldAtMost = withheldAtMost;
        this.start = region.size() == 0 ? 0 : region.start();
        this.within = new FreeListOpt(region.size(), start, alignment, alignment, SearchPolicy.FIRST);
        long aligned = Rounding.up(end, alignment);
        this.beyond = new FreeListOpt(ROOM_BEYOND, aligned, alignment, alignment, SearchPolicy.FIRST);
    }

    /** Returns the address under which a place is lent that was just taken. */
    long allocate(long place, long size, AllocationDirection direction) {
        long address = unused(place, size, direction);
        physicalAddresses.put(address, place);
        return address;
    }

    /** Withholds an address that is given back, and returns the place to free; nothing if it is not lent. */
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

    /** Returns the place that is lent under an address; nothing if none is. */
    OptionalLong physicalAddressOf(long address) {
        Long place = physicalAddresses.get(address);
        return place == null ? OptionalLong.empty() : OptionalLong.of(place);
    }

    /** Returns the addresses that are lent, in ascending order. */
    long[] allocated() {
        return physicalAddresses.keySet().stream()
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
    }

    /** Forgets everything, what is withheld too: there is no life of a device in which it could be used. */
    void clear() {
        within.clear();
        beyond.clear();
        physicalAddresses.clear();
        withheld.clear();
        givenUp = 0;
    }

    /** Shows no addresses of the lowest bytes from now on, unless one of them is in use under that name. */
    void shrink(long size) {
        while (!withheld.isEmpty()) {
            release();
        }
        long cut = start + givenUp + size;
        if (within.allocatedAddresses().stream().noneMatch(range -> range.start() < cut)) {
            within.shrinkSize(size);
            givenUp += size;
        }
    }

    void resetSize() {
        within.resetSize();
        givenUp = 0;
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
