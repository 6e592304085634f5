package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one device by id, and the server's sums of them by memory type.
 *
 * <p>Each line of a log looks an entry up. Addresses are multiples of large powers of two, so most of their hash codes would
 * collide in a {@code HashMap}. It would also take an object for each key.
 */
final class ReplayedDevice {

    private static final int FIRST_CAPACITY = 64;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    final int number;

    /** By the number of the type. */
    final long[] bytes = new long[BufferType.values().length];

    final long[] buffers = new long[bytes.length];

    /** The number of entries in the sums. */
    long entered;

    /** The entries that the server removed without a free, while a report was open. */
    final Set<BufferEntry> abandoned = new HashSet<>();

    private @Nullable BufferEntry[] slots = new @Nullable BufferEntry[FIRST_CAPACITY];
    private final List<BufferEntry> entries = new ArrayList<>();

    ReplayedDevice(int number) {
        this.number = number;
    }

    /** Returns the entries in order of appearance. */
    List<BufferEntry> entries() {
        return entries;
    }

    Optional<BufferEntry> find(long id) {
        return Optional.ofNullable(slots[slot(id)]);
    }

    /** Returns the entry with an id, which may be new. */
    BufferEntry entry(long id) {
        BufferEntry known = slots[slot(id)];
        if (known != null) {
            return known;
        }
        BufferEntry added = new BufferEntry(number, id);
        entries.add(added);
        if (entries.size() * 2 > slots.length) {
            slots = new @Nullable BufferEntry[slots.length * 2];
            entries.forEach(each -> slots[slot(each.id)] = each);
        } else {
            slots[slot(id)] = added;
        }
        return added;
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

    // Sums

    void enter(BufferEntry entry, BufferType type, long size, long owner) {
        entry.size = size;
        entry.type = type;
        entry.owner = owner;
        add(entry, 1);
        entered += entry.isEntered ? 0 : 1;
        entry.isEntered = true;
    }

    void remove(BufferEntry entry) {
        if (entry.isEntered) {
            add(entry, -1);
            entered--;
            entry.isEntered = false;
        }
    }

    private void add(BufferEntry entry, int sign) {
        bytes[entry.type.ordinal()] += sign * entry.size;
        buffers[entry.type.ordinal()] += sign;
    }

    /** Removes all entries from the sums. */
    void clear() {
        Arrays.fill(bytes, 0);
        Arrays.fill(buffers, 0);
        entered = 0;
        entries.forEach(entry -> entry.isEntered = false);
    }
}
