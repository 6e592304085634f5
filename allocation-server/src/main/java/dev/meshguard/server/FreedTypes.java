package dev.meshguard.server;

import dev.meshguard.event.BufferType;
import java.util.Optional;

/**
 * Remembers the memory types of recently freed addresses, because a second free does not contain the type.
 *
 * <p>A table of fixed size: an address may evict another. The type of a second free of that one is then inferred from
 * other devices, or unknown.
 */
final class FreedTypes {

    private static final int SLOTS = 1 << 14;
    private static final int SHIFT = Long.SIZE - 14;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
    private static final BufferType[] TYPES = BufferType.values();

    private final long[] ids = new long[SLOTS];
    private final int[] devices = new int[SLOTS];

    /** The number of the type plus one; 0 for an empty slot. */
    private final byte[] types = new byte[SLOTS];

    void add(int device, long id, BufferType type) {
        int slot = slot(device, id);
        ids[slot] = id;
        devices[slot] = device;
        types[slot] = (byte) (type.ordinal() + 1);
    }

    /** Returns the memory type of an address, unless it is forgotten. */
    Optional<BufferType> find(int device, long id) {
        int slot = slot(device, id);
        boolean isKnown = types[slot] != 0 && ids[slot] == id && devices[slot] == device;
        return isKnown ? Optional.of(TYPES[types[slot] - 1]) : Optional.empty();
    }

    private static int slot(int device, long id) {
        return (int) ((id * SPREAD + device * 0x5851_F42D_4C95_7F2DL) >>> SHIFT);
    }
}
