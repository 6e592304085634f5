package dev.meshguard.server;

import dev.meshguard.event.BufferType;
import java.util.function.LongFunction;

/**
 * Remembers of addresses that were lately freed of which memory they were, because a second free does not say it.
 *
 * <p>A table of one size: an address may drive another out, and then the second free of it is told from other devices, or not at all.
 */
final class FreedTypes {

    private static final int SLOTS = 1 << 14;
    private static final int SHIFT = Long.SIZE - 14;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;
    private static final BufferType[] TYPES = BufferType.values();

    private final long[] ids = new long[SLOTS];
    private final int[] devices = new int[SLOTS];

    /** One more than the number of the type; 0 where nothing is. */
    private final byte[] types = new byte[SLOTS];

    void add(int device, long id, BufferType type) {
        int slot = slot(device, id);
        ids[slot] = id;
        devices[slot] = device;
        types[slot] = (byte) (type.ordinal() + 1);
    }

    /** Returns of which memory an address was, or else what somebody else says. */
    BufferType of(int device, long id, LongFunction<BufferType> otherwise) {
        int slot = slot(device, id);
        return types[slot] != 0 && ids[slot] == id && devices[slot] == device
                ? TYPES[types[slot] - 1]
                : otherwise.apply(id);
    }

    private static int slot(int device, long id) {
        return (int) ((id * SPREAD + device * 0x5851_F42D_4C95_7F2DL) >>> SHIFT);
    }
}
