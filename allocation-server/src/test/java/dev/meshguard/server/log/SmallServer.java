package dev.meshguard.server.log;

import dev.meshguard.event.BufferType;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The ledger of the server, and its output; written independently of the reader under test. */
final class SmallServer {

    private record Key(int device, long id) {}

    private static final class Entry {
        private final BufferType type;
        private final long size;
        private final long pid;
        private int references = 1;

        private Entry(BufferType type, long size, long pid) {
            this.type = type;
            this.size = size;
            this.pid = pid;
        }
    }

    private final boolean hexadecimal;
    private final boolean countsReferences;
    private final Map<Key, Entry> entries = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();
    /** The expected data of each report, in order. */
    private final List<String> truth = new ArrayList<>();

    SmallServer(boolean hexadecimal) {
        this(hexadecimal, true);
    }

    private SmallServer(boolean hexadecimal, boolean countsReferences) {
        this.hexadecimal = hexadecimal;
        this.countsReferences = countsReferences;
    }

    /** Returns the first server: an allocation replaces an entry, a free removes it, and nothing is added up. */
    static SmallServer withoutReferences() {
        return new SmallServer(false, false);
    }

    List<String> lines() {
        return lines;
    }

    List<String> truth() {
        return truth;
    }

    int entries() {
        return entries.size();
    }

    void allocate(long pid, int device, BufferType type, long id, long size) {
        Entry entry = countsReferences ? entries.get(new Key(device, id)) : null;
        if (entry == null) {
            entries.put(new Key(device, id), new Entry(type, size, pid));
        } else {
            entry.references++;
        }
        line(
                "✓ [PID %d] Allocated %d bytes of %s on device %d (buffer_id=%s%s)",
                pid, size, type, device, id(id), entry == null ? "" : ", ref_count=" + entry.references);
        truth.add(String.format(Locale.ROOT, "allocated %s %d on %d: %d by %d", type, id, device, size, pid));
    }

    void free(long pid, int device, long id) {
        Key key = new Key(device, id);
        Entry entry = entries.get(key);
        if (entry == null) {
            line(
                    "⚠ [PID %d] Deallocation for unknown buffer %s on device %d (allocated before tracking started)",
                    pid, id(id), device);
            truth.add(String.format(Locale.ROOT, "freed %d on %d", id, device));
            return;
        }
        entry.references--;
        line(
                "✗ [PID %d] Freed buffer %s on device %d (%d bytes%s)",
                entry.pid, id(id), device, entry.size, countsReferences ? ", " + left(entry) : "");
        truth.add(String.format(Locale.ROOT, "freed %d on %d", id, device));
        if (entry.references == 0) {
            entries.remove(key);
        }
    }

    private static String left(Entry entry) {
        return entry.references == 0 ? "FINAL" : "ref_count=" + entry.references + " remaining";
    }

    boolean knows(int device, long id) {
        return entries.containsKey(new Key(device, id));
    }

    /** Frees all remaining references. */
    void freeAll() {
        for (Key key : List.copyOf(entries.keySet())) {
            while (entries.containsKey(key)) {
                free(entries.get(key).pid, key.device(), key.id());
            }
        }
    }

    void statistics() {
        if (!countsReferences) {
            return;
        }
        line("");
        line("📊 Current Statistics:");
        TreeSet<Integer> devices = new TreeSet<>();
        entries.keySet().forEach(key -> devices.add(key.device()));
        for (int device : devices) {
            line("  Device %d:", device);
            line("    Buffers: %d", count(device));
            line(
                    "    DRAM: %d bytes (%s KB)",
                    bytes(device, BufferType.DRAM), figure(bytes(device, BufferType.DRAM), 1024));
            line("    L1: %d bytes (%s KB)", bytes(device, BufferType.L1), figure(bytes(device, BufferType.L1), 1024));
            line("    Total: %d bytes", total(device));
        }
        line("  Active allocations: %d", entries.size());
    }

    void dump() {
        if (!countsReferences) {
            return;
        }
        line("📋 Received DUMP_REMAINING request...");
        line("");
        line("╔%s╗", "═".repeat(62));
        line("║           REMAINING ALLOCATED BUFFERS                       ║");
        line("╚%s╝", "═".repeat(62));
        line("Total tracked allocations: %d", entries.size());
        line("");
        if (entries.isEmpty()) {
            line("✓ No buffers remaining - perfect cleanup!");
        } else {
            groups();
            line("Total remaining buffers: %d", entries.size());
        }
        line("");
        line("📋 DUMP_REMAINING complete.");
    }

    private void groups() {
        TreeMap<Integer, TreeMap<BufferType, List<Key>>> groups = new TreeMap<>();
        entries.forEach((key, entry) -> groups.computeIfAbsent(key.device(), unused -> new TreeMap<>())
                .computeIfAbsent(entry.type, unused -> new ArrayList<>())
                .add(key));
        groups.forEach((device, types) -> {
            line("Device %d:", device);
            types.forEach((type, keys) -> {
                line("  %s: %d buffers, %s MB total", type, keys.size(), figure(bytes(device, type), 1_048_576));
                if (keys.size() <= 10) {
                    keys.forEach(key -> line(
                            "    - Buffer 0x%x: %s KB (PID %d, ref_count=%d)",
                            key.id(),
                            figure(entries.get(key).size, 1024),
                            entries.get(key).pid,
                            entries.get(key).references));
                }
            });
            line("");
        });
    }

    private long count(int device) {
        return entries.keySet().stream().filter(key -> key.device() == device).count();
    }

    private long bytes(int device, BufferType type) {
        return entries.entrySet().stream()
                .filter(entry -> entry.getKey().device() == device && entry.getValue().type == type)
                .mapToLong(entry -> entry.getValue().size)
                .sum();
    }

    private long total(int device) {
        return entries.entrySet().stream()
                .filter(entry -> entry.getKey().device() == device)
                .mapToLong(entry -> entry.getValue().size)
                .sum();
    }

    private String id(long id) {
        return hexadecimal ? "0x" + Long.toHexString(id) : String.valueOf(id);
    }

    /** Six digits, as in C++'s default format. */
    static String figure(long bytes, long unit) {
        BigDecimal rounded = new BigDecimal(bytes)
                .divide(BigDecimal.valueOf(unit))
                .round(new MathContext(6, RoundingMode.HALF_EVEN));
        if (rounded.signum() == 0) {
            return "0";
        }
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -4 && exponent < 6) {
            return rounded.stripTrailingZeros().toPlainString();
        }
        String digits =
                rounded.scaleByPowerOfTen(-exponent).stripTrailingZeros().toPlainString();
        return String.format(Locale.ROOT, "%se%s%02d", digits, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    private void line(String format, Object... arguments) {
        lines.add(String.format(Locale.ROOT, format, arguments));
    }
}
