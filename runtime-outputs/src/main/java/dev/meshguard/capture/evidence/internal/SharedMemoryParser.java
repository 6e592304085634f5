package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.Chip;
import dev.meshguard.capture.evidence.SharedMemory.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessStatus;
import dev.meshguard.capture.evidence.SharedMemory.Totals;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Parses the statistics in shared memory, whose layout is the C++ structure of {@code memory_stats_shm.hpp}.
 *
 * <p>It has no magic number, so its version and size show it.
 */
final class SharedMemoryParser {

    private static final int SIZE = 8_576;
    private static final int VERSION = 4;
    /** Other versions are recognised, to be rejected. */
    private static final int MAX_VERSION = 31;

    private static final int UPDATED = 8;
    private static final int DEVICE = 40;
    private static final int TOTALS = 48;

    private static final int CHIPS = 88;
    private static final int CHIP_SIZE = 48;
    private static final int MAX_CHIPS = 16;
    private static final int NO_CHIP = -1;

    private static final int PROCESSES = 856;
    private static final int PROCESS_SIZE = 120;
    private static final int MAX_PROCESSES = 64;
    private static final int PROCESS_UPDATED = 48;
    private static final int COMMAND = 56;
    private static final int COMMAND_SIZE = 64;

    private static final long NANOS_OF_A_SECOND = 1_000_000_000L;

    private SharedMemoryParser() {}

    /** A text begins with no such byte, and none of its characters has three bytes of zeros. */
    static boolean isSharedMemory(byte[] beginning) {
        return beginning.length >= Integer.BYTES
                && beginning[0] > 0
                && beginning[0] <= MAX_VERSION
                && beginning[1] == 0
                && beginning[2] == 0
                && beginning[3] == 0;
    }

    static SharedMemory parse(InputStream plain, String name) throws IOException {
        byte[] content = plain.readNBytes(SIZE + 1);
        if (content.length != SIZE) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "it begins like the shared memory of a device, which has %d bytes, and has %s. Copy the whole"
                            + " /dev/shm/tt_device_…_memory",
                    SIZE,
                    content.length > SIZE ? "more" : content.length));
        }
        ByteBuffer memory = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        int version = memory.getInt(0);
        if (version != VERSION) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "it is shared memory of version %d, and only version %d is read. Use the memory reports of the device",
                    version,
                    VERSION));
        }
        return new SharedMemory(
                name,
                Integer.toUnsignedLong(memory.getInt(DEVICE)),
                time(memory.getLong(UPDATED)),
                totals(memory, TOTALS),
                chips(memory),
                processes(memory, content));
    }

    /** Chips without memory are left out. */
    private static List<Chip> chips(ByteBuffer memory) {
        List<Chip> chips = new ArrayList<>();
        for (int i = 0; i < MAX_CHIPS; i++) {
            int from = CHIPS + i * CHIP_SIZE;
            int id = memory.getInt(from);
            Totals totals = totals(memory, from + Long.BYTES);
            if (id != NO_CHIP && !totals.isZero()) {
                chips.add(new Chip(Integer.toUnsignedLong(id), memory.getInt(from + Integer.BYTES) != 0, totals));
            }
        }
        return chips;
    }

    private static List<ProcessMemory> processes(ByteBuffer memory, byte[] content) {
        List<ProcessMemory> processes = new ArrayList<>();
        for (int i = 0; i < MAX_PROCESSES; i++) {
            int from = PROCESSES + i * PROCESS_SIZE;
            int processId = memory.getInt(from);
            if (processId != 0) {
                processes.add(new ProcessMemory(
                        processId,
                        command(content, from + COMMAND),
                        time(memory.getLong(from + PROCESS_UPDATED)),
                        totals(memory, from + Long.BYTES),
                        ProcessStatus.UNKNOWN));
            }
        }
        return processes;
    }

    /** A number that was subtracted too often would be negative. */
    private static Totals totals(ByteBuffer memory, int from) {
        long[] bytes = new long[5];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = Math.max(0, memory.getLong(from + i * Long.BYTES));
        }
        return new Totals(bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]);
    }

    private static Instant time(long nanos) {
        return Instant.ofEpochSecond(
                Long.divideUnsigned(nanos, NANOS_OF_A_SECOND), Long.remainderUnsigned(nanos, NANOS_OF_A_SECOND));
    }

    private static String command(byte[] memory, int from) {
        int length = 0;
        while (length < COMMAND_SIZE && memory[from + length] != 0) {
            length++;
        }
        return new String(memory, from, length, StandardCharsets.UTF_8);
    }
}
