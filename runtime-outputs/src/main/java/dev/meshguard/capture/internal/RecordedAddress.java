package dev.meshguard.capture.internal;

import dev.meshguard.event.BufferType;

/** The place of a recorded buffer: its device, its memory type and its address. */
record RecordedAddress(int device, BufferType type, long address) {

    private static final int TYPES = BufferType.values().length;
    /** Odd, and as irregular as a multiplier can be. */
    private static final long GOLDEN_RATIO = 0x9E37_79B9_7F4A_7C15L;

    /** Mixes the digits: addresses are multiples of a page, and as such would meet in few buckets of a map. */
    @Override
    public int hashCode() {
        return Long.hashCode((address * TYPES + type.ordinal() + 31L * device) * GOLDEN_RATIO);
    }
}
