package dev.meshguard.server.log.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one device by id.
 *
 * <p>Each line of a log looks one up. Addresses are multiples of large powers of two, so most of their hash codes would collide
 * in a {@code HashMap}, and it would take an object for each key.
 */
final class EntryTable {

    private static final int FIRST_CAPACITY = 64;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private @Nullable BufferEntry[] slots = new @Nullable BufferEntry[FIRST_CAPACITY];
    private final List<BufferEntry> entries = new ArrayList<>();

    @Nullable
    BufferEntry find(long id) {
        return slots[slot(id)];
    }

    BufferEntry add(BufferEntry entry) {
        entries.add(entry);
        if (entries.size() * 2 > slots.length) {
            slots = new @Nullable BufferEntry[slots.length * 2];
            entries.forEach(each -> slots[slot(each.id)] = each);
        }
        slots[slot(entry.id)] = entry;
        return entry;
    }

    /** Returns the entries in order of appearance. */
    List<BufferEntry> entries() {
        return entries;
    }

    private int slot(long id) {
        int mask = slots.length - 1;
        int slot = (int) ((id * SPREAD) >>> 32) & mask;
        BufferEntry entry = slots[slot];
        while (entry != null && entry.id != id) {
            slot = (slot + 1) & mask;
            entry = slots[slot];
        }
        return slot;
    }
}
