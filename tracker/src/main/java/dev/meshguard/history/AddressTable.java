package dev.meshguard.history;

import dev.meshguard.event.BufferType;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that a history names, by device and memory.
 *
 * <p>Every report is looked up here, so the addresses of one memory are in a flat table, without an object for each
 * key.
 */
final class AddressTable {

    /** Most tests report one or two addresses of a memory. */
    private static final int FIRST_CAPACITY = 4;

    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
    private static final int TYPES = BufferType.values().length;

    private final GenerationStore store;
    private final Map<Integer, Region[]> devices = new HashMap<>();
    private int latestDevice;
    private Region @Nullable [] latest;

    AddressTable(GenerationStore store) {
        this.store = store;
    }

    /** Returns the data of an address, if any report named it. */
    @Nullable
    Address find(int device, BufferType type, long address) {
        return region(device, type).find(address);
    }

    /** Returns the data of an address, and creates it if it is missing. */
    Address findOrAdd(int device, BufferType type, long address) {
        Region region = region(device, type);
        Address known = region.find(address);
        return known != null ? known : region.add(address, new Address(store));
    }

    /** Calls a consumer with the data of each address, in no particular order. */
    void forEach(Consumer<Address> consumer) {
        for (Region[] regions : devices.values()) {
            for (Region region : regions) {
                for (Address address : region.values) {
                    if (address != null) {
                        consumer.accept(address);
                    }
                }
            }
        }
    }

    private Region region(int device, BufferType type) {
        Region[] regions = latest;
        if (regions == null || device != latestDevice) {
            regions = devices.computeIfAbsent(device, unused -> empty());
            latest = regions;
            latestDevice = device;
        }
        return regions[type.ordinal()];
    }

    private static Region[] empty() {
        Region[] regions = new Region[TYPES];
        for (int type = 0; type < TYPES; type++) {
            regions[type] = new Region();
        }
        return regions;
    }

    /** A table with open addressing and linear probing, at most half full; nothing is ever removed. */
    private static final class Region {

        private long[] keys = new long[FIRST_CAPACITY];
        private @Nullable Address[] values = new @Nullable Address[FIRST_CAPACITY];
        private int count;

        private @Nullable Address find(long address) {
            return values[slot(address)];
        }

        private Address add(long address, Address value) {
            if (++count > keys.length / 2) {
                grow();
            }
            int slot = slot(address);
            keys[slot] = address;
            values[slot] = value;
            return value;
        }

        private int slot(long address) {
            int mask = keys.length - 1;
            int slot = (int) ((address * SPREAD) >>> 32) & mask;
            while (values[slot] != null && keys[slot] != address) {
                slot = (slot + 1) & mask;
            }
            return slot;
        }

        private void grow() {
            long[] oldKeys = keys;
            @Nullable Address[] oldValues = values;
            keys = new long[oldKeys.length * 2];
            values = new @Nullable Address[oldKeys.length * 2];
            for (int old = 0; old < oldKeys.length; old++) {
                if (oldValues[old] != null) {
                    int slot = slot(oldKeys[old]);
                    keys[slot] = oldKeys[old];
                    values[slot] = oldValues[old];
                }
            }
        }
    }
}
