package dev.meshguard.history.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import org.jspecify.annotations.Nullable;

/**
 * The entries that are live on one device: a flat table of three longs and a reference each.
 *
 * <p>Open addressing with linear probing; a removal shifts its followers back, so there are no tombstones and the table
 * never has to be rebuilt except to grow. Guarded by the owner's lock.
 */
final class Ledger extends CacheLinePadded {

    private static final int FIRST_CAPACITY = 16;
    /**
     * The limit up to which a table is at most half full, so that most searches end where they begin. A larger one is
     * filled to three quarters, to save memory.
     */
    private static final int MAX_SPARSE_CAPACITY = 1 << 16;

    private static final int WORDS = 3;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private static final int TYPE_SHIFT = 1;
    private static final int LIFETIME_SHIFT = 4;
    private static final int ALLOCATOR_SHIFT = 8;
    private static final int COUNT_SHIFT = 24;
    private static final long LIVE = 1;
    private static final long ONE_REPORT = 1L << COUNT_SHIFT;
    private static final int KEY_MASK = 0b1111;
    private static final long ALLOCATOR_MASK = (long) AllocatorNumbers.MAX << ALLOCATOR_SHIFT;

    private static final BufferLifetime[] LIFETIMES = BufferLifetime.values();

    private long[] words = new long[FIRST_CAPACITY * WORDS];
    private @Nullable MemoryRequest[] requests = new @Nullable MemoryRequest[FIRST_CAPACITY];
    private int shift = Long.numberOfLeadingZeros(FIRST_CAPACITY) + 1;
    private int mask = FIRST_CAPACITY - 1;
    private int limit = FIRST_CAPACITY / 2;
    private int entries;

    private final AllocatorNumbers allocators;

    Ledger(AllocatorNumbers allocators) {
        this.allocators = allocators;
    }

    /**
     * Returns the slot of an allocator's live entry at an address, or the complement of the slot where it would go.
     *
     * <p>If there is no entry of this allocator, an entry that may be its counts. Of several, the one with the lowest
     * number counts, so that the same reports always find the same entries.
     */
    int find(BufferType type, long address, int allocator) {
        long key = keyBits(type);
        long[] table = words;
        int slot = home(key, address);
        int found = -1;
        while (true) {
            long meta = table[slot * WORDS + 2];
            if (meta == 0) {
                return found < 0 ? ~slot : found;
            }
            if (table[slot * WORDS] == address && (meta & KEY_MASK) == key) {
                int known = (int) ((meta & ALLOCATOR_MASK) >>> ALLOCATOR_SHIFT);
                if (known == allocator) {
                    return slot;
                }
                if (allocators.mayBeOne(known, allocator) && (found < 0 || known < allocator(found))) {
                    found = slot;
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /** Returns whether another allocator has memory at an address that may be the same memory. */
    boolean isHeldByAnother(BufferType type, long address, int allocator) {
        long key = keyBits(type);
        for (int slot = home(key, address); words[slot * WORDS + 2] != 0; slot = (slot + 1) & mask) {
            if (words[slot * WORDS] == address
                    && (words[slot * WORDS + 2] & KEY_MASK) == key
                    && allocators.mayOverlap(allocator(slot), allocator)) {
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
        put(
                freeSlot,
                address,
                size,
                keyBits(type)
                        | ((long) lifetime.ordinal() << LIFETIME_SHIFT)
                        | ((long) allocator << ALLOCATOR_SHIFT)
                        | ONE_REPORT,
                request);
        if (++entries > limit) {
            grow();
        }
    }

    /**
     * Counts one more report of a live entry; first size, lifetime and request stay, and known parts of the allocator
     * are combined.
     */
    void repeat(int slot, int allocator) {
        int known = allocator(slot);
        if (known != allocator) {
            words[slot * WORDS + 2] = (words[slot * WORDS + 2] & ~ALLOCATOR_MASK)
                    | ((long) allocators.joined(known, allocator) << ALLOCATOR_SHIFT);
        }
        words[slot * WORDS + 2] += ONE_REPORT;
    }

    /** Removes one report and returns the remaining number; at 0 the entry still exists and has to be removed. */
    long release(int slot) {
        return (words[slot * WORDS + 2] -= ONE_REPORT) >>> COUNT_SHIFT;
    }

    void remove(int slot) {
        int hole = slot;
        int next = slot;
        while (true) {
            next = (next + 1) & mask;
            long meta = words[next * WORDS + 2];
            if (meta == 0) {
                break;
            }
            int home = home(meta & KEY_MASK, words[next * WORDS]);
            boolean mayMove = ((next - home) & mask) >= ((next - hole) & mask);
            if (mayMove) {
                put(hole, words[next * WORDS], words[next * WORDS + 1], meta, requests[next]);
                hole = next;
            }
        }
        words[hole * WORDS + 2] = 0;
        requests[hole] = null;
        entries--;
    }

    void setSize(int slot, long size) {
        words[slot * WORDS + 1] = size;
    }

    int entries() {
        return entries;
    }

    long size(int slot) {
        return words[slot * WORDS + 1];
    }

    BufferLifetime lifetime(int slot) {
        return LIFETIMES[(int) (words[slot * WORDS + 2] >>> LIFETIME_SHIFT) & 3];
    }

    int allocator(int slot) {
        return (int) ((words[slot * WORDS + 2] & ALLOCATOR_MASK) >>> ALLOCATOR_SHIFT);
    }

    @Nullable
    MemoryRequest request(int slot) {
        return requests[slot];
    }

    private static long keyBits(BufferType type) {
        return LIVE | ((long) type.ordinal() << TYPE_SHIFT);
    }

    private int home(long key, long address) {
        return (int) (((address + key) * SPREAD) >>> shift);
    }

    private void put(int slot, long address, long size, long meta, @Nullable MemoryRequest request) {
        int at = slot * WORDS;
        words[at] = address;
        words[at + 1] = size;
        words[at + 2] = meta;
        requests[slot] = request;
    }

    private void grow() {
        long[] oldWords = words;
        @Nullable MemoryRequest[] oldRequests = requests;
        int capacity = oldRequests.length * 2;
        words = new long[capacity * WORDS];
        requests = new @Nullable MemoryRequest[capacity];
        mask = capacity - 1;
        limit = capacity <= MAX_SPARSE_CAPACITY ? capacity / 2 : capacity / 4 * 3;
        shift--;
        for (int slot = 0; slot < oldRequests.length; slot++) {
            long meta = oldWords[slot * WORDS + 2];
            if (meta != 0) {
                long address = oldWords[slot * WORDS];
                int free = home(meta & KEY_MASK, address);
                while (words[free * WORDS + 2] != 0) {
                    free = (free + 1) & mask;
                }
                put(free, address, oldWords[slot * WORDS + 1], meta, oldRequests[slot]);
            }
        }
    }
}
