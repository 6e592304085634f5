package dev.meshguard.history;

import dev.meshguard.event.BufferType;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of one device that a history names, by type and address.
 *
 * <p>Every report is looked up here, so this is a table with open addressing and linear probing, without an object for each
 * key. It is at most half full; nothing is ever removed.
 */
final class AddressTable {

    private static final int FIRST_CAPACITY = 16;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private final Generations generations;
    private @Nullable Address[] table = new @Nullable Address[FIRST_CAPACITY];
    private int count;

    AddressTable(Generations generations) {
        this.generations = generations;
    }

    /** Returns the data of an address, if any report named it. */
    @Nullable
    Address find(BufferType type, long address) {
        return table[slot(type, address)];
    }

    /** Returns the data of an address, and creates it if it is missing. */
    Address findOrAdd(BufferType type, long address) {
        Address known = find(type, address);
        if (known != null) {
            return known;
        }
        if (++count > table.length / 2) {
            grow();
        }
        Address added = new Address(type, address, generations);
        table[slot(type, address)] = added;
        return added;
    }

    /** Calls a consumer with the data of each address, in no particular order. */
    void forEach(Consumer<Address> consumer) {
        for (Address address : table) {
            if (address != null) {
                consumer.accept(address);
            }
        }
    }

    /** Returns the index of an address, or that of the free place where it belongs. */
    private int slot(BufferType type, long address) {
        int mask = table.length - 1;
        int slot = (int) (((address * 31 + type.ordinal()) * SPREAD) >>> 32) & mask;
        Address found = table[slot];
        while (found != null && !found.isAt(type, address)) {
            slot = (slot + 1) & mask;
            found = table[slot];
        }
        return slot;
    }

    private void grow() {
        @Nullable Address[] addresses = table;
        table = new @Nullable Address[addresses.length * 2];
        for (Address address : addresses) {
            if (address != null) {
                table[slot(address.type, address.address)] = address;
            }
        }
    }
}
