package dev.meshguard.history.internal;

import dev.meshguard.event.BufferType;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of entries for one device, by memory type and address; its user defines what an entry contains. Not safe
 * for use by several threads.
 *
 * <p>Every report is looked up here, so this is a table of chains, without an object for a key or a link. There may be several
 * entries at one address.
 */
public final class AddressTable<E extends AddressTable.Entry<E>> {

    private static final int FIRST_CAPACITY = 16;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private @Nullable E[] chains = newChains(FIRST_CAPACITY);
    private int count;

    /** An entry at one address; it must not move while it is in a table. */
    public abstract static class Entry<E> {

        private BufferType type;
        private long address;

        @Nullable
        E next;

        /** Creates an entry at an address. */
        protected Entry(BufferType type, long address) {
            this.type = type;
            this.address = address;
        }

        void moveTo(BufferType newType, long newAddress) {
            type = newType;
            address = newAddress;
        }

        /** Returns the memory type. */
        public BufferType type() {
            return type;
        }

        /** Returns the address. */
        public long address() {
            return address;
        }
    }

    /** Returns the number of entries. */
    public int count() {
        return count;
    }

    /** Returns the oldest entry at an address, or null. */
    public @Nullable E find(BufferType type, long address) {
        return firstOf(chains[bucket(type, address)], type, address);
    }

    /** Returns the entry after the given one at the same address, or null. */
    public @Nullable E next(E entry) {
        return firstOf(entry.next, entry.type(), entry.address());
    }

    private static <E extends Entry<E>> @Nullable E firstOf(@Nullable E chain, BufferType type, long address) {
        E entry = chain;
        while (entry != null && (entry.address() != address || entry.type() != type)) {
            entry = entry.next;
        }
        return entry;
    }

    /** Passes each entry to a consumer, in no particular order. */
    public void forEach(Consumer<? super E> consumer) {
        for (E chain : chains) {
            for (E entry = chain; entry != null; entry = entry.next) {
                consumer.accept(entry);
            }
        }
    }

    /** Adds an entry. */
    public void add(E entry) {
        if (count == chains.length) {
            grow();
        }
        link(entry);
        count++;
    }

    /** Removes an entry. */
    public void remove(E entry) {
        int bucket = bucket(entry.type(), entry.address());
        E before = null;
        for (E other = chains[bucket]; other != null && other != entry; other = other.next) {
            before = other;
        }
        if (before == null) {
            chains[bucket] = entry.next;
        } else {
            before.next = entry.next;
        }
        count--;
    }

    /** Links an entry at the end of its chain, so that the entries of an address stay in their order. */
    private void link(E entry) {
        entry.next = null;
        int bucket = bucket(entry.type(), entry.address());
        E last = chains[bucket];
        if (last == null) {
            chains[bucket] = entry;
            return;
        }
        while (last.next != null) {
            last = last.next;
        }
        last.next = entry;
    }

    private int bucket(BufferType type, long address) {
        return (int) (((address + type.ordinal()) * SPREAD) >>> Long.numberOfLeadingZeros(chains.length - 1L));
    }

    private void grow() {
        @Nullable E[] old = chains;
        chains = newChains(old.length * 2);
        for (E chain : old) {
            for (E entry = chain; entry != null; ) {
                E next = entry.next;
                link(entry);
                entry = next;
            }
        }
    }

    @SuppressWarnings("unchecked") // The array is never visible outside.
    private static <E extends Entry<E>> @Nullable E[] newChains(int capacity) {
        return (E[]) new Entry<?>[capacity];
    }
}
