package dev.meshguard.history.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import org.jspecify.annotations.Nullable;

/**
 * The entries that are live on one device: a table in arrays, which creates no object for an entry.
 *
 * <p>Open addressing with linear probing; a removal shifts its followers back, so there are no tombstones and the table
 * never has to be rebuilt except to grow. Guarded by the owner's lock.
 */
final class LiveEntries {

    private static final int FIRST_CAPACITY = 16;
    /**
     * The limit up to which a table is at most half full, so that most searches end where they begin. A larger one is
     * filled to three quarters, to save memory.
     */
    private static final int MAX_SPARSE_CAPACITY = 1 << 16;

    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private static final BufferLifetime[] LIFETIMES = BufferLifetime.values();

    private final AllocatorNumbers allocators;
    private Slots slots = new Slots(FIRST_CAPACITY);
    private int entries;

    /** The arrays of a table; its length is a power of two. */
    private static final class Slots {
        private final long[] addresses;
        private final long[] sizes;
        /** The open reports of an entry; 0 where there is none. */
        private final int[] reports;

        private final char[] allocators;
        private final byte[] types;
        private final byte[] lifetimes;
        private final @Nullable MemoryRequest[] requests;
        private final int mask;

        private Slots(int capacity) {
            addresses = new long[capacity];
            sizes = new long[capacity];
            reports = new int[capacity];
            allocators = new char[capacity];
            types = new byte[capacity];
            lifetimes = new byte[capacity];
            requests = new @Nullable MemoryRequest[capacity];
            mask = capacity - 1;
        }

        private int home(int type, long address) {
            return (int) ((address + type) * SPREAD >>> Long.numberOfLeadingZeros(mask));
        }

        private boolean isAt(int slot, int type, long address) {
            return addresses[slot] == address && types[slot] == type;
        }

        private int next(int slot) {
            return (slot + 1) & mask;
        }

        /** Copies an entry of a table, which may be this one. */
        private void copy(int slot, Slots from, int other) {
            addresses[slot] = from.addresses[other];
            sizes[slot] = from.sizes[other];
            reports[slot] = from.reports[other];
            allocators[slot] = from.allocators[other];
            types[slot] = from.types[other];
            lifetimes[slot] = from.lifetimes[other];
            requests[slot] = from.requests[other];
        }
    }

    LiveEntries(AllocatorNumbers allocators) {
        this.allocators = allocators;
    }

    /**
     * Returns the slot of an allocator's live entry at an address, or the complement of the slot where it would go.
     *
     * <p>If there is no entry of this allocator, an entry that may be its counts. Of several, the one with the lowest
     * number counts, so that the same reports always find the same entries.
     */
    int find(BufferType type, long address, int allocator) {
        Slots table = slots;
        int found = -1;
        int slot = table.home(type.ordinal(), address);
        for (; table.reports[slot] != 0; slot = table.next(slot)) {
            if (table.isAt(slot, type.ordinal(), address)) {
                int known = table.allocators[slot];
                if (known == allocator) {
                    return slot;
                }
                if (allocators.mayBeOne(known, allocator) && (found < 0 || known < table.allocators[found])) {
                    found = slot;
                }
            }
        }
        return found < 0 ? ~slot : found;
    }

    /** Returns whether another allocator has memory at an address that may be the same memory. */
    boolean isHeldByAnother(BufferType type, long address, int allocator) {
        for (int slot = slots.home(type.ordinal(), address); slots.reports[slot] != 0; slot = slots.next(slot)) {
            if (slots.isAt(slot, type.ordinal(), address) && allocators.mayOverlap(slots.allocators[slot], allocator)) {
                return true;
            }
        }
        return false;
    }

    /** Adds an entry at a slot that {@link #find} returned as free. */
    void insert(
            int freeSlot,
            BufferType type,
            BufferLifetime lifetime,
            long address,
            int allocator,
            long size,
            @Nullable MemoryRequest request) {
        slots.addresses[freeSlot] = address;
        slots.sizes[freeSlot] = size;
        slots.reports[freeSlot] = 1;
        slots.allocators[freeSlot] = (char) allocator;
        slots.types[freeSlot] = (byte) type.ordinal();
        slots.lifetimes[freeSlot] = (byte) lifetime.ordinal();
        slots.requests[freeSlot] = request;
        entries++;
        int capacity = slots.reports.length;
        if (entries > (capacity <= MAX_SPARSE_CAPACITY ? capacity / 2 : capacity / 4 * 3)) {
            grow();
        }
    }

    /**
     * Counts one more report of a live entry; first size, lifetime and request stay, and known parts of the allocator
     * are combined.
     */
    void repeat(int slot, int allocator) {
        slots.reports[slot]++;
        slots.allocators[slot] = (char) allocators.joined(slots.allocators[slot], allocator);
    }

    /** Removes one report of an entry that has several. */
    void release(int slot) {
        slots.reports[slot]--;
    }

    void remove(int slot) {
        int hole = slot;
        for (int next = slots.next(slot); slots.reports[next] != 0; next = slots.next(next)) {
            int home = slots.home(slots.types[next], slots.addresses[next]);
            boolean mayMove = ((next - home) & slots.mask) >= ((next - hole) & slots.mask);
            if (mayMove) {
                slots.copy(hole, slots, next);
                hole = next;
            }
        }
        slots.reports[hole] = 0;
        slots.requests[hole] = null;
        entries--;
    }

    void setSize(int slot, long size) {
        slots.sizes[slot] = size;
    }

    int entries() {
        return entries;
    }

    int reports(int slot) {
        return slots.reports[slot];
    }

    long size(int slot) {
        return slots.sizes[slot];
    }

    BufferLifetime lifetime(int slot) {
        return LIFETIMES[slots.lifetimes[slot]];
    }

    @Nullable
    MemoryRequest request(int slot) {
        return slots.requests[slot];
    }

    private void grow() {
        Slots larger = new Slots(slots.reports.length * 2);
        for (int slot = 0; slot < slots.reports.length; slot++) {
            if (slots.reports[slot] != 0) {
                int free = larger.home(slots.types[slot], slots.addresses[slot]);
                while (larger.reports[free] != 0) {
                    free = larger.next(free);
                }
                larger.copy(free, slots, slot);
            }
        }
        slots = larger;
    }
}
