package dev.meshguard.server.ledger.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The records of one device by address: open addressing; a removal moves later elements back. */
final class RecordTable {

    private static final int FIRST_CAPACITY = 64;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private @Nullable BufferRecord[] slots = new @Nullable BufferRecord[FIRST_CAPACITY];
    private int shift = Long.numberOfLeadingZeros(FIRST_CAPACITY) + 1;
    private int size;

    @Nullable
    BufferRecord find(long id) {
        return slots[slot(id)];
    }

    void add(BufferRecord record) {
        slots[slot(record.id)] = record;
        size++;
        if (size * 2 > slots.length) {
            @Nullable BufferRecord[] old = slots;
            slots = new @Nullable BufferRecord[old.length * 2];
            shift--;
            for (BufferRecord known : old) {
                if (known != null) {
                    slots[slot(known.id)] = known;
                }
            }
        }
    }

    /** Removes a record; returns whether there was one. */
    boolean remove(long id) {
        int mask = slots.length - 1;
        int hole = slot(id);
        if (slots[hole] == null) {
            return false;
        }
        size--;
        int next = hole;
        while (true) {
            next = (next + 1) & mask;
            BufferRecord follower = slots[next];
            if (follower == null) {
                break;
            }
            int home = home(follower.id);
            if (((next - home) & mask) >= ((next - hole) & mask)) {
                slots[hole] = follower;
                hole = next;
            }
        }
        slots[hole] = null;
        return true;
    }

    /** Returns the current records. */
    List<BufferRecord> records() {
        List<BufferRecord> records = new ArrayList<>(size);
        for (BufferRecord record : slots) {
            if (record != null) {
                records.add(record);
            }
        }
        return records;
    }

    private int home(long id) {
        return (int) ((id * SPREAD) >>> shift);
    }

    private int slot(long id) {
        int mask = slots.length - 1;
        int slot = home(id);
        BufferRecord there = slots[slot];
        while (there != null && there.id != id) {
            slot = (slot + 1) & mask;
            there = slots[slot];
        }
        return slot;
    }
}
