package dev.meshguard.mesh.allocator;

import java.util.Arrays;

/**
 * Finds the slot of a block by its start address.
 *
 * <p>It uses open addressing over primitive arrays. A table of boxed keys would cost more than the blocks it points to. Removal
 * shifts later entries back instead of leaving markers, so a long-lived table does not slow down. Not thread-safe.
 */
final class AddressIndex {

    static final int ABSENT = -1;

    /** No address is negative, so no address can equal this marker. */
    private static final long EMPTY = -1;

    private static final long[] NONE = {};

    /** Most memories of most meshes hold nothing. */
    private static final int INITIAL_CAPACITY = 2;

    /** The golden ratio in 64 bits: spreads addresses that differ only by multiples of a page. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private long[] addresses = emptyAddresses(INITIAL_CAPACITY);
    private int[] slots = new int[INITIAL_CAPACITY];
    private int size;

    int size() {
        return size;
    }

    int get(long address) {
        int position = find(address);
        return addresses[position] == EMPTY ? ABSENT : slots[position];
    }

    void put(long address, int slot) {
        if (isCrowded()) {
            grow();
        }
        int position = find(address);
        if (addresses[position] == EMPTY) {
            size++;
        }
        addresses[position] = address;
        slots[position] = slot;
    }

    /** Adds an address without a slot. */
    void add(long address) {
        put(address, ABSENT);
    }

    int remove(long address) {
        int position = find(address);
        if (addresses[position] == EMPTY) {
            return ABSENT;
        }
        int slot = slots[position];
        size--;
        closeGap(position);
        return slot;
    }

    void clear() {
        if (size > 0) {
            Arrays.fill(addresses, EMPTY);
            size = 0;
        }
    }

    /** {@return the addresses in ascending order} */
    long[] sortedAddresses() {
        if (size == 0) {
            return NONE;
        }
        return Arrays.stream(addresses)
                .filter(address -> address != EMPTY)
                .sorted()
                .toArray();
    }

    /** {@return the index of the address, or the empty index where it would be inserted; negative for a negative address} */
    private int find(long address) {
        int position = home(address);
        while (addresses[position] != EMPTY && addresses[position] != address) {
            position = following(position);
        }
        return position;
    }

    private int home(long address) {
        long mixed = address * SPREAD;
        return (int) (mixed >>> (Long.SIZE - Integer.numberOfTrailingZeros(addresses.length)));
    }

    private int following(int position) {
        return (position + 1) & (addresses.length - 1);
    }

    private boolean isCrowded() {
        return size >= addresses.length / 2;
    }

    private void grow() {
        long[] oldAddresses = addresses;
        int[] oldSlots = slots;
        addresses = emptyAddresses(2 * oldAddresses.length);
        slots = new int[addresses.length];
        for (int i = 0; i < oldAddresses.length; i++) {
            if (oldAddresses[i] != EMPTY) {
                int position = find(oldAddresses[i]);
                addresses[position] = oldAddresses[i];
                slots[position] = oldSlots[i];
            }
        }
    }

    /** Moves back each later entry of the same run that can fill the gap, so that no search ends too early. */
    private void closeGap(int removed) {
        int gap = removed;
        for (int position = following(gap); addresses[position] != EMPTY; position = following(position)) {
            if (distance(home(addresses[position]), position) >= distance(gap, position)) {
                addresses[gap] = addresses[position];
                slots[gap] = slots[position];
                gap = position;
            }
        }
        addresses[gap] = EMPTY;
    }

    private int distance(int from, int to) {
        return (to - from) & (addresses.length - 1);
    }

    private static long[] emptyAddresses(int capacity) {
        long[] addresses = new long[capacity];
        Arrays.fill(addresses, EMPTY);
        return addresses;
    }
}
