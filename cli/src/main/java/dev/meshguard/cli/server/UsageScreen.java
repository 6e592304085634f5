package dev.meshguard.cli.server;

import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.MemoryUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The display of {@code top}: a bar and a change for each memory of each device. */
final class UsageScreen {

    private static final int BAR = 25;
    private static final int ALMOST_FULL = 90;
    private static final int FILLED = 75;
    private static final String GREEN = "\u001b[32m";
    private static final String YELLOW = "\u001b[33m";
    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";

    /** One memory of a device. */
    private record Memory(String name, long bytes, long capacity) {}

    private final boolean isColoured;
    private final Map<String, Long> before = new HashMap<>();
    private final Map<String, Long> most = new HashMap<>();

    UsageScreen(boolean isColoured) {
        this.isColoured = isColoured;
    }

    /**
     * Returns the lines of a device for a terminal: a bar for each memory, full at the device's capacity or at the
     * maximum so far.
     */
    List<String> bars(MemoryUsage usage, DeviceInfo info) {
        List<String> lines = new ArrayList<>();
        lines.add("device " + usage.device()
                + (info.isAvailable() ? "  " + PrintableText.line(info.architectureName()) : ""));
        for (Memory memory : memories(usage, info)) {
            String key = key(usage, memory);
            long change = change(key, memory.bytes());
            long full = memory.capacity() > 0 ? memory.capacity() : most.merge(key, memory.bytes(), Math::max);
            int percent = full == 0 ? 0 : (int) Math.min(100, memory.bytes() * 100.0 / full);
            lines.add(String.format(
                    Locale.ROOT,
                    "  %-8s %s %10s%s%s",
                    memory.name(),
                    bar(percent),
                    Quantities.shortSize(memory.bytes()),
                    memory.capacity() > 0 ? " / " + Quantities.shortSize(memory.capacity()) : "",
                    change == 0 ? "" : "  " + signed(change)));
        }
        return lines;
    }

    /** Returns the line of a device for a pipe: the usage, and the change since the previous line. */
    String line(String time, MemoryUsage usage) {
        StringBuilder line = new StringBuilder(time + " device " + usage.device());
        for (Memory memory : memories(usage, DeviceInfo.none(usage.device()))) {
            long change = change(key(usage, memory), memory.bytes());
            line.append("  ").append(memory.name()).append(' ').append(memory.bytes());
            if (change != 0) {
                line.append(String.format(Locale.ROOT, " (%+d)", change));
            }
        }
        return line.toString();
    }

    /** The two memories that every program uses are always shown, the others only if used. */
    private static List<Memory> memories(MemoryUsage usage, DeviceInfo info) {
        List<Memory> memories = new ArrayList<>();
        memories.add(new Memory("DRAM", usage.dram(), info.totalDram()));
        memories.add(new Memory("L1", usage.l1(), info.totalL1()));
        add(memories, "L1_SMALL", usage.l1Small());
        add(memories, "TRACE", usage.trace());
        add(memories, "CBs", usage.circularBuffers());
        add(memories, "kernels", usage.kernels());
        return memories;
    }

    private static void add(List<Memory> memories, String name, long bytes) {
        if (bytes != 0) {
            memories.add(new Memory(name, bytes, 0));
        }
    }

    private static String key(MemoryUsage usage, Memory memory) {
        return usage.device() + " " + memory.name();
    }

    private long change(String key, long bytes) {
        Long last = before.put(key, bytes);
        return last == null ? 0 : bytes - last;
    }

    private String bar(int percent) {
        int filled = percent * BAR / 100;
        String bar = "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "]"
                + String.format(Locale.ROOT, "%4d%%", percent);
        if (!isColoured) {
            return bar;
        }
        return (percent >= ALMOST_FULL ? RED : percent >= FILLED ? YELLOW : GREEN) + bar + PLAIN;
    }

    private static String signed(long change) {
        return (change < 0 ? "-" : "+") + Quantities.shortSize(Math.abs(change));
    }
}
