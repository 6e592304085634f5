package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.SharedMemoryStatistics;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.Chip;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.ProcessMemory;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.ProcessStatus;
import dev.meshguard.capture.evidence.SharedMemoryStatistics.Totals;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses the statistics in shared memory from their beginning to their end, whose layout is the C++ structure of
 * {@code memory_stats_shm.hpp}.
 *
 * <p>It has no magic number, so its version and size show it.
 */
public final class SharedMemoryParser {

    private static final int SIZE = 8_576;
    private static final int VERSION = 4;
    private static final int READY = 0x5245_4459;
    /** Other versions are recognised, to be rejected. */
    private static final int MAX_VERSION = 31;

    private static final int CHIPS = 16;
    private static final int NO_CHIP = -1;
    private static final int PROCESSES = 64;
    private static final int BEING_RELEASED = -1;
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
        int version = beginning.length < Integer.BYTES
                ? 0
                : ByteBuffer.wrap(beginning).order(ByteOrder.LITTLE_ENDIAN).getInt();
        return version > 0 && version <= MAX_VERSION;
    }

    /** Parses the statistics. */
    public static SharedMemoryStatistics parse(byte[] content, String name) throws IOException {
        if (content.length != SIZE) {
            throw new IOException("it begins like the shared memory of a device, which has " + SIZE + " bytes, and has "
                    + (content.length > SIZE ? "more" : content.length)
                    + ". Copy the whole /dev/shm/tt_device_…_memory");
        }
        return new SharedMemoryParser(content).read(name);
    }

    private SharedMemoryStatistics read(String name) throws IOException {
        int version = memory.getInt();
        if (version != VERSION) {
            throw new IOException("it is shared memory of version " + version + ", and only version " + VERSION
                    + " is read. Use the memory reports of the device");
        }
        skip(Integer.BYTES); // The number of processes.
        Instant updated = time();
        skip(3 * Long.BYTES); // The references, and the numbers of the board and of the chip.
        int device = paddedInt();
        checkThat(device >= 0, "device " + device);
        Totals total = totals("the device");
        List<Chip> chips = chips();
        List<ProcessMemory> processes = processes();
        List<String> defects = new ArrayList<>();
        if (memory.getInt() != READY) {
            defects.add("It was not ready: a process was setting it up.");
        }
        if (impossible > 0) {
            defects.add(
                    Quantities.count(impossible, "value") + " of it cannot be, the first is " + firstImpossible + ".");
        }
        return new SharedMemoryStatistics(name, device, updated, total, chips, processes, defects);
    }

    private void skip(int bytes) {
        memory.position(memory.position() + bytes);
    }

    private int paddedInt() {
        int value = memory.getInt();
        skip(Integer.BYTES);
        return value;
    }

    private void checkThat(boolean isPossible, String value) {
        if (!isPossible && impossible++ == 0) {
            firstImpossible = value;
        }
    }

    /** Chips without memory are left out. */
    private List<Chip> chips() {
        List<Chip> chips = new ArrayList<>();
        for (int i = 0; i < CHIPS; i++) {
            int id = memory.getInt();
            boolean isRemote = memory.getInt() != 0;
            Totals totals = totals("chip " + id);
            if (id != NO_CHIP && !totals.isZero()) {
                checkThat(id >= 0, "chip " + id);
                chips.add(new Chip(id, isRemote, totals));
            }
        }
        return chips;
    }

    private List<ProcessMemory> processes() {
        List<ProcessMemory> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            int id = paddedInt();
            if (id == 0) {
                skip(6 * Long.BYTES + COMMAND_SIZE);
                continue;
            }
            checkThat(id >= BEING_RELEASED, "process " + id);
            Totals totals = totals("process " + id);
            Instant updated = time();
            processes.add(new ProcessMemory(id, command(), updated, totals, ProcessStatus.UNKNOWN));
        }
        return processes;
    }

    /** The runtime stops its subtractions at 0. */
    private Totals totals(String owner) {
        long[] bytes = new long[5];
        for (int i = 0; i < bytes.length; i++) {
            long value = memory.getLong();
            checkThat(value >= 0, Long.toUnsignedString(value) + " B of " + owner);
            bytes[i] = Math.max(0, value);
        }
        return new Totals(bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]);
    }

    private Instant time() {
        long nanos = memory.getLong();
        return Instant.ofEpochSecond(
                Long.divideUnsigned(nanos, NANOS_OF_A_SECOND), Long.remainderUnsigned(nanos, NANOS_OF_A_SECOND));
    }

    private String command() {
        byte[] text = new byte[COMMAND_SIZE];
        memory.get(text);
        return new String(text, StandardCharsets.UTF_8).split("\0", 2)[0];
    }
}
