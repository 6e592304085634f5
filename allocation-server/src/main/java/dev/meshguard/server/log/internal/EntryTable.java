package dev.meshguard.server.log.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of one device by id: each line of a log looks one up, so ids are not boxed. */
final class EntryTable {

    private static final int FIRST_CAPACITY = 64;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private @Nullable BufferEntry[] slots = new @Nullable BufferEntry[FIRST_CAPACITY];
    private int shift = Long.numberOfLeadingZeros(FIRST_CAPACITY) + 1;
    private final List<BufferEntry> entries = new ArrayList<>();

    @Nullable
    BufferEntry find(long id) {
        return slots[slot(id)];
    }

    void add(BufferEntry entry) {
        entries.add(entry);
        if (entries.size() * 2 > slots.length) {
            makeRoom(slots.length * 2);
        } else {
            put(entry);
        }
    }

    private void makeRoom(int capacity) {
        slots = new @Nullable BufferEntry[capacity];
        shift = Long.numberOfLeadingZeros(capacity) + 1;
        for (BufferEntry entry : entries) {
            put(entry);
        }
    }

    private void put(BufferEntry entry) {
        slots[slot(entry.id)] = entry;
    }

    /** Returns the entries in order of appearance. */
    List<BufferEntry> entries() {
        return entries;
    }

    private int slot(long id) {
        int mask = slots.length - 1;
        int slot = (int) ((id * SPREAD) >>> shift);
        BufferEntry entry = slots[slot];
        while (entry != null && entry.id != id) {
            slot = (slot + 1) & mask;
            entry = slots[slot];
        }
        return slot;
    }
}
