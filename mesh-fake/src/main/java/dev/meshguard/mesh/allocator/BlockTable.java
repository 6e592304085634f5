package dev.meshguard.mesh.allocator;

import java.util.Arrays;
import java.util.BitSet;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The blocks of a free list, each in a numbered slot and linked to its neighbours in address order.
 *
 * <p>Callers can see the slot numbers, so the table assigns them as the runtime does. It reuses released numbers before it
 * creates new ones, the last released first. Addresses are counted from the start of the managed range. Not thread-safe.
 */
final class BlockTable {

    static final int NONE = -1;

    private static final int INITIAL_CAPACITY = 8;

    private long[] addresses = new long[INITIAL_CAPACITY];
    private long[] sizes = new long[INITIAL_CAPACITY];
    private int[] previous = new int[INITIAL_CAPACITY];
    private int[] next = new int[INITIAL_CAPACITY];
    private final BitSet live = new BitSet();
    private final BitSet allocated = new BitSet();

    private int[] released = new int[INITIAL_CAPACITY];
    private int releasedCount;
    private int slotCount;

    /** Forgets every block and every slot number. */
    void clear() {
        live.clear();
        allocated.clear();
        releasedCount = 0;
        slotCount = 0;
    }

    /** Adds a free block between two neighbours, either of which may be {@link #NONE}. */
    int insert(long address, long size, int previousSlot, int nextSlot) {
        int slot = releasedCount > 0 ? released[--releasedCount] : newSlot();
        addresses[slot] = address;
        sizes[slot] = size;
        live.set(slot);
        link(previousSlot, slot);
        link(slot, nextSlot);
        return slot;
    }

    /** Takes a free block out from between its neighbours and lets its number be used again. */
    void release(int slot) {
        link(previous[slot], next[slot]);
        live.clear(slot);
        if (releasedCount == released.length) {
            released = Arrays.copyOf(released, 2 * releasedCount);
        }
        released[releasedCount++] = slot;
    }

    /** Changes the bounds of a block; its neighbours do not change. */
    void resize(int slot, long address, long size) {
        addresses[slot] = address;
        sizes[slot] = size;
    }

    void markAllocated(int slot) {
        allocated.set(slot);
    }

    void markFree(int slot) {
        allocated.clear(slot);
    }

    long address(int slot) {
        return addresses[slot];
    }

    long size(int slot) {
        return sizes[slot];
    }

    long end(int slot) {
        return addresses[slot] + sizes[slot];
    }

    int previous(int slot) {
        return previous[slot];
    }

    int next(int slot) {
        return next[slot];
    }

    boolean isAllocated(int slot) {
        return allocated.get(slot);
    }

    boolean isFree(int slot) {
        return slot != NONE && !allocated.get(slot);
    }

    /** {@return the slot of the block at the lowest address, {@link #NONE} without blocks; visits every slot} */
    int lowest() {
        return slots().filter(slot -> previous[slot] == NONE).findFirst().orElse(NONE);
    }

    /** {@return the live slots in ascending order} */
    IntStream slots() {
        return live.stream();
    }

    /** {@return the slots of the allocated blocks in ascending order} */
    IntStream allocatedSlots() {
        return allocated.stream();
    }

    /** {@return one more than the highest slot number assigned since the last {@link #clear()}} */
    int slotCount() {
        return slotCount;
    }

    MemoryBlock row(int slot) {
        return new MemoryBlock(
                slot,
                addresses[slot],
                sizes[slot],
                optional(previous[slot]),
                optional(next[slot]),
                allocated.get(slot));
    }

    private int newSlot() {
        int slot = slotCount++;
        if (slot == addresses.length) {
            addresses = Arrays.copyOf(addresses, 2 * slot);
            sizes = Arrays.copyOf(sizes, 2 * slot);
            previous = Arrays.copyOf(previous, 2 * slot);
            next = Arrays.copyOf(next, 2 * slot);
        }
        return slot;
    }

    private void link(int lowerSlot, int higherSlot) {
        if (lowerSlot != NONE) {
            next[lowerSlot] = higherSlot;
        }
        if (higherSlot != NONE) {
            previous[higherSlot] = lowerSlot;
        }
    }

    private static OptionalInt optional(int slot) {
        return slot == NONE ? OptionalInt.empty() : OptionalInt.of(slot);
    }
}
