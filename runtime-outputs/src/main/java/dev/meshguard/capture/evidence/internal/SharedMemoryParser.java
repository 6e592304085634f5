package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.SharedMemory;
import dev.meshguard.capture.evidence.SharedMemory.Chip;
import dev.meshguard.capture.evidence.SharedMemory.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemory.ProcessStatus;
import dev.meshguard.capture.evidence.SharedMemory.Totals;
import dev.meshguard.event.Quantities;
import java.io.IOException;
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
public final class SharedMemoryParser {

    private static final int SIZE = 8_576;
    private static final int VERSION = 4;
    private static final int STATE = 8_536;
    private static final int READY = 0x5245_4459;
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
    private static final int BEING_RELEASED = -1;
    private static final int PROCESS_UPDATED = 48;
    private static final int COMMAND = 56;
    private static final int COMMAND_SIZE = 64;

    private static final long NANOS_OF_A_SECOND = 1_000_000_000L;

    private final ByteBuffer memory;
    private long impossible;
    private String firstImpossible = "";

    private SharedMemoryParser(byte[] content) {
        this.memory = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns whether a file begins so: a text begins with no such byte, and no character has three bytes of zeros. */
    public static boolean isSharedMemory(byte[] beginning) {
        return beginning.length >= Integer.BYTES
                && beginning[0] > 0
                && beginning[0] <= MAX_VERSION
                && beginning[1] == 0
                && beginning[2] == 0
                && beginning[3] == 0;
    }

    /** Parses the statistics. */
    public static SharedMemory parse(byte[] content, String name) throws IOException {
        if (content.length != SIZE) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "it begins like the shared memory of a device, which has %d bytes, and has %s. Copy the whole"
                            + " /dev/shm/tt_device_…_memory",
                    SIZE,
                    content.length > SIZE ? "more" : content.length));
        }
        return new SharedMemoryParser(content).read(name);
    }

    private SharedMemory read(String name) throws IOException {
        int version = memory.getInt(0);
        if (version != VERSION) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "it is shared memory of version %d, and only version %d is read. Use the memory reports of the device",
                    version,
                    VERSION));
        }
        int device = memory.getInt(DEVICE);
        checkThat(device >= 0, "device %d", device);
        Totals total = totals(TOTALS, "the device");
        List<Chip> chips = chips();
        List<ProcessMemory> processes = processes();
        List<String> defects = new ArrayList<>();
        if (memory.getInt(STATE) != READY) {
            defects.add("It was not ready: a process was setting it up.");
        }
        if (impossible > 0) {
            defects.add(
                    Quantities.count(impossible, "value") + " of it cannot be, the first is " + firstImpossible + ".");
        }
        return new SharedMemory(name, device, time(UPDATED), total, chips, processes, defects);
    }

    private void checkThat(boolean isPossible, String form, Object... values) {
        if (!isPossible && impossible++ == 0) {
            firstImpossible = String.format(Locale.ROOT, form, values);
        }
    }

    /** Chips without memory are left out. */
    private List<Chip> chips() {
        List<Chip> chips = new ArrayList<>();
        for (int i = 0; i < MAX_CHIPS; i++) {
            int from = CHIPS + i * CHIP_SIZE;
            int id = memory.getInt(from);
            Totals totals = totals(from + Long.BYTES, "chip " + id);
            if (id != NO_CHIP && !totals.isZero()) {
                checkThat(id >= 0, "chip %d", id);
                chips.add(new Chip(id, memory.getInt(from + Integer.BYTES) != 0, totals));
            }
        }
        return chips;
    }

    private List<ProcessMemory> processes() {
        List<ProcessMemory> processes = new ArrayList<>();
        for (int i = 0; i < MAX_PROCESSES; i++) {
            int from = PROCESSES + i * PROCESS_SIZE;
            int processId = memory.getInt(from);
            if (processId != 0) {
                checkThat(processId >= BEING_RELEASED, "process %d", processId);
                processes.add(new ProcessMemory(
                        processId,
                        command(from + COMMAND),
                        time(from + PROCESS_UPDATED),
                        totals(from + Long.BYTES, "process " + processId),
                        ProcessStatus.UNKNOWN));
            }
        }
        return processes;
    }

    /** The runtime stops its subtractions at 0. */
    private Totals totals(int from, String owner) {
        long[] bytes = new long[5];
        for (int i = 0; i < bytes.length; i++) {
            long value = memory.getLong(from + i * Long.BYTES);
            checkThat(value >= 0, "%s B of %s", Long.toUnsignedString(value), owner);
            bytes[i] = Math.max(0, value);
        }
        return new Totals(bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]);
    }

    private Instant time(int from) {
        long nanos = memory.getLong(from);
        return Instant.ofEpochSecond(
                Long.divideUnsigned(nanos, NANOS_OF_A_SECOND), Long.remainderUnsigned(nanos, NANOS_OF_A_SECOND));
    }

    private String command(int from) {
        String text = new String(memory.array(), from, COMMAND_SIZE, StandardCharsets.UTF_8);
        int end = text.indexOf(0);
        return end < 0 ? text : text.substring(0, end);
    }
}
