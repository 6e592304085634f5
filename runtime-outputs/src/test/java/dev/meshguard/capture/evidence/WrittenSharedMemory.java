package dev.meshguard.capture.evidence;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** The shared memory of a device, as version 4 of tt-metal lays it out; shares no code with the reader. */
public final class WrittenSharedMemory {

    private static final int SIZE = 8_576;

    private final ByteBuffer memory = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
    private int chips;
    private int slots;

    /** Begins the memory of one version and device. */
    public WrittenSharedMemory(int version, int device, Instant updated) {
        memory.putInt(0, version).putInt(40, device).putLong(8, nanos(updated));
        memory.putInt(8_536, 0x5245_4459);
        for (int i = 0; i < 16; i++) {
            memory.putInt(88 + 48 * i, 0xFFFF_FFFF);
        }
    }

    /** Sets the totals of the device: DRAM, L1, L1_SMALL, TRACE, circular buffers. */
    public WrittenSharedMemory total(long... bytes) {
        put(48, bytes);
        return this;
    }

    /** Adds a chip. */
    public WrittenSharedMemory chip(int id, boolean isRemote, long... bytes) {
        int from = 88 + 48 * chips++;
        memory.putInt(from, id).putInt(from + 4, isRemote ? 1 : 0);
        put(from + 8, bytes);
        return this;
    }

    /** Adds the slot of a process. */
    public WrittenSharedMemory process(int processId, String command, Instant updated, long... bytes) {
        int from = 856 + 120 * slots++;
        memory.putInt(from, processId);
        put(from + 8, bytes);
        memory.putLong(from + 48, nanos(updated));
        byte[] name = command.getBytes(StandardCharsets.UTF_8);
        memory.put(from + 56, name, 0, Math.min(name.length, 63));
        memory.putInt(4, slots);
        return this;
    }

    private void put(int from, long... bytes) {
        for (int i = 0; i < bytes.length; i++) {
            memory.putLong(from + 8 * i, bytes[i]);
        }
    }

    private static long nanos(Instant time) {
        return time.getEpochSecond() * 1_000_000_000L + time.getNano();
    }

    /** Returns the content of the file. */
    public byte[] bytes() {
        return memory.array().clone();
    }
}
