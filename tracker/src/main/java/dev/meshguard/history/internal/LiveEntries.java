package dev.meshguard.history.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries that are live on one device, by type, address and allocator. Guarded by the owner's lock.
 *
 * <p>A table of chains. A map would create three objects for each entry.
 */
public final class LiveEntries {

    private static final BufferLifetime[] LIFETIMES = BufferLifetime.values();
    private static final BufferType[] TYPES = BufferType.values();
    private static final int FIRST_CAPACITY = 16;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private final AllocatorNumbers allocators;
    private @Nullable Entry[] table = new @Nullable Entry[FIRST_CAPACITY];
    private int count;

    /** The chain of removed entries. They are used again, so that a pair of reports creates no object. */
    private @Nullable Entry unused;

    /** One live entry. */
    public static final class Entry {
        private int type;
        private long address;
        private int allocator;
        private @Nullable Entry next;

        private int lifetime;
        /** That of the first report, in bytes. */
        long size;

        /** How many reports are open. */
        int reports;

        /** That of the first report; null if nothing is known of it. */
        @Nullable
        MemoryRequest request;

        BufferLifetime lifetime() {
            return LIFETIMES[lifetime];
        }

        /** Returns the memory type. */
        public BufferType type() {
            return TYPES[type];
        }

        /** Returns the address. */
        public long address() {
            return address;
        }

        /** Returns the size of the first report, in bytes. */
        public long size() {
            return size;
        }

        /** Returns the number of open reports. */
        public int reports() {
            return reports;
        }

        /** Returns the request of the first report, or of the one that replaced it; null if nothing is known of it. */
        public @Nullable MemoryRequest request() {
            return request;
        }

        /** Replaces the request, because the remaining reports are of another one. */
        public void replaceRequest(MemoryRequest newRequest) {
            request = newRequest;
        }

        private boolean isAt(BufferType ofType, long atAddress) {
            return address == atAddress && type == ofType.ordinal();
        }
    }

    LiveEntries(AllocatorNumbers allocators) {
        this.allocators = allocators;
    }

    int count() {
        return count;
    }

    /**
     * Returns an allocator's live entry at an address, or null.
     *
     * <p>If it has none, this is an entry of an allocator that may be the same one. Of several, it is the one whose
     * allocator has the lowest number, so that the same reports always find the same entries.
     */
    @Nullable
    Entry find(BufferType type, long address, int allocator) {
        Entry found = null;
        for (Entry entry = table[bucket(type.ordinal(), address)]; entry != null; entry = entry.next) {
            if (entry.isAt(type, address)) {
                if (entry.allocator == allocator) {
                    return entry;
                }
                if (allocators.mayBeOne(entry.allocator, allocator)
                        && (found == null || entry.allocator < found.allocator)) {
                    found = entry;
                }
            }
        }
        return found;
    }

    /** Returns a live entry of any type and allocator at an address, or null. */
    @Nullable
    Entry findAt(long address) {
        for (int type = 0; type < TYPES.length; type++) {
            for (Entry entry = table[bucket(type, address)]; entry != null; entry = entry.next) {
                if (entry.address == address) {
                    return entry;
                }
            }
        }
        return null;
    }

    /** Returns the entries at this moment. */
    List<Entry> all() {
        List<Entry> all = new ArrayList<>(count);
        for (Entry chain : table) {
            for (Entry entry = chain; entry != null; entry = entry.next) {
                all.add(entry);
            }
        }
        return all;
    }

    /** Returns whether another allocator has memory at an address that may be the same memory. */
    boolean isHeldByAnother(BufferType type, long address, int allocator) {
        for (Entry entry = table[bucket(type.ordinal(), address)]; entry != null; entry = entry.next) {
            if (entry.isAt(type, address) && allocators.mayOverlap(entry.allocator, allocator)) {
                return true;
            }
        }
        return false;
    }

    /** Adds an entry with one report. */
    void add(
            BufferType type,
            BufferLifetime lifetime,
            long address,
            int allocator,
            long size,
            @Nullable MemoryRequest request) {
        if (count == table.length) {
            grow();
        }
        Entry entry = unused == null ? new Entry() : unused;
        unused = entry.next;
        entry.type = type.ordinal();
        entry.lifetime = lifetime.ordinal();
        entry.address = address;
        entry.allocator = allocator;
        entry.size = size;
        entry.reports = 1;
        entry.request = request;
        link(entry);
        count++;
    }

    /** Combines the allocator of an entry with that of a further report. */
    void join(Entry entry, int allocator) {
        entry.allocator = allocators.joined(entry.allocator, allocator);
    }

    void remove(Entry entry) {
        int bucket = bucket(entry.type, entry.address);
        Entry before = null;
        for (Entry other = table[bucket]; other != null && other != entry; other = other.next) {
            before = other;
        }
        if (before == null) {
            table[bucket] = entry.next;
        } else {
            before.next = entry.next;
        }
        entry.request = null;
        entry.next = unused;
        unused = entry;
        count--;
    }

    private void link(Entry entry) {
        int bucket = bucket(entry.type, entry.address);
        entry.next = table[bucket];
        table[bucket] = entry;
    }

    private int bucket(int type, long address) {
        return (int) (((address + type) * SPREAD) >>> Long.numberOfLeadingZeros(table.length - 1));
    }

    private void grow() {
        @Nullable Entry[] chains = table;
        table = new @Nullable Entry[chains.length * 2];
        for (Entry chain : chains) {
            for (Entry entry = chain; entry != null; ) {
                Entry next = entry.next;
                link(entry);
                entry = next;
            }
        }
    }
}
