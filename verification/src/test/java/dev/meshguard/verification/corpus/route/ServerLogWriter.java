package dev.meshguard.verification.corpus.route;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Writes the log that tt-metal's server would have written of a history.
 *
 * <p>There is one entry for each device and address. A dead process takes its entries with it, whoever shares them.
 */
public final class ServerLogWriter {

    private static final BigDecimal KILOBYTE = BigDecimal.valueOf(1024);
    private static final BigDecimal MEGABYTE = KILOBYTE.multiply(KILOBYTE);
    private static final MathContext DIGITS = new MathContext(6);

    /** The generations of the server that differ in what they write of a report. */
    public enum Generation {
        /** An allocation replaces an entry, a free removes it, nothing is added up, and no dead process is looked for. */
        WITHOUT_REFERENCES,
        /** References are counted, and ids are decimal. */
        DECIMAL,
        /** References are counted, and ids are hexadecimal. */
        HEXADECIMAL
    }

    private record Place(int device, long address) {}

    private record Entry(long process, BufferType type, long size, int references) {}

    private final StringBuilder log = new StringBuilder();
    private final Map<Place, Entry> entries = new LinkedHashMap<>();
    private final Generation generation;
    private final boolean countsReferences;
    private final long onlyProcess;

    private ServerLogWriter(Generation generation, long onlyProcess) {
        this.generation = generation;
        this.countsReferences = generation != Generation.WITHOUT_REFERENCES;
        this.onlyProcess = onlyProcess;
    }

    /**
     * Returns the log.
     *
     * @param onlyProcess the process of reports that name none
     */
    public static String logOf(AllocationHistory history, Generation generation, long onlyProcess) {
        ServerLogWriter writer = new ServerLogWriter(generation, onlyProcess);
        writer.line("🚀 Allocation Server started");
        history.events().forEach(writer::write);
        writer.statistics();
        writer.line("");
        writer.line("🛑 Allocation Server stopped");
        return writer.log.toString();
    }

    private void write(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated one) {
            allocated(new Place(one.device(), one.address()), new Entry(processOf(one), one.type(), one.size(), 1));
        } else if (event instanceof HistoryEvent.Freed one) {
            freed(new Place(one.device(), one.address()), processOf(one));
        } else if (event instanceof HistoryEvent.ProcessDied one) {
            died(one.processId());
        } else if (event instanceof HistoryEvent.Checked) {
            dump();
        }
    }

    private long processOf(HistoryEvent.OfRequest report) {
        return report.request().details().processId().orElse(onlyProcess);
    }

    private void allocated(Place place, Entry reported) {
        Entry entry = entries.merge(
                place,
                reported,
                (first, again) -> countsReferences
                        ? new Entry(first.process(), first.type(), first.size(), first.references() + 1)
                        : again);
        line(
                "✓ [PID %d] Allocated %d bytes of %s on device %d (buffer_id=%s%s)",
                reported.process(),
                reported.size(),
                reported.type(),
                place.device(),
                id(place),
                entry.references() == 1 ? "" : ", ref_count=" + entry.references());
    }

    private void freed(Place place, long process) {
        Entry entry = entries.remove(place);
        if (entry == null) {
            line(
                    "⚠ [PID %d] Deallocation for unknown buffer %s on device %d (allocated before tracking started)",
                    process, id(place), place.device());
            return;
        }
        int left = entry.references() - 1;
        line(
                "✗ [PID %d] Freed buffer %s on device %d (%d bytes%s)",
                entry.process(),
                id(place),
                place.device(),
                entry.size(),
                !countsReferences ? "" : left == 0 ? ", FINAL" : ", ref_count=" + left + " remaining");
        if (left > 0) {
            entries.put(place, new Entry(entry.process(), entry.type(), entry.size(), left));
        }
    }

    private String id(Place place) {
        return generation == Generation.HEXADECIMAL
                ? "0x" + Long.toHexString(place.address())
                : Long.toUnsignedString(place.address());
    }

    private void died(long process) {
        if (!countsReferences) {
            return;
        }
        List<Entry> held = entries.values().stream()
                .filter(entry -> entry.process() == process)
                .toList();
        entries.values().removeAll(held);
        line("⚠️  Detected dead processes, cleaning up orphaned buffers...");
        line("   PID %d is dead, removing its buffers...", process);
        line("   ✓ Removed %d buffers (%s MB) from PID %d", held.size(), figure(bytes(held), MEGABYTE), process);
    }

    private void dump() {
        if (!countsReferences) {
            return;
        }
        line("📋 Received DUMP_REMAINING request...");
        line("║           REMAINING ALLOCATED BUFFERS                       ║");
        line("Total tracked allocations: %d", entries.size());
        for (int device : devices()) {
            line("Device %d:", device);
            for (BufferType type : BufferType.values()) {
                List<Entry> all = of(device, type);
                if (!all.isEmpty()) {
                    line("  %s: %d buffers, %s MB total", type, all.size(), figure(bytes(all), MEGABYTE));
                    entries.forEach((place, entry) -> buffer(device, type, place, entry));
                }
            }
        }
        line(
                entries.isEmpty()
                        ? "✓ No buffers remaining - perfect cleanup!"
                        : "Total remaining buffers: " + entries.size());
        line("📋 DUMP_REMAINING complete.");
    }

    private void buffer(int device, BufferType type, Place place, Entry entry) {
        if (place.device() == device && entry.type() == type) {
            line(
                    "    - Buffer 0x%x: %s KB (PID %d, ref_count=%d)",
                    place.address(), figure(entry.size(), KILOBYTE), entry.process(), entry.references());
        }
    }

    private void statistics() {
        if (!countsReferences) {
            return;
        }
        line("📊 Current Statistics:");
        for (int device : devices()) {
            line("  Device %d:", device);
            List<Entry> all = Stream.of(BufferType.values())
                    .flatMap(type -> of(device, type).stream())
                    .toList();
            line("    Buffers: %d", all.size());
            for (BufferType type : List.of(BufferType.DRAM, BufferType.L1)) {
                long bytes = bytes(of(device, type));
                line("    %s: %d bytes (%s KB)", type, bytes, figure(bytes, KILOBYTE));
            }
            line("    Total: %d bytes", bytes(all));
        }
        line("  Active allocations: %d", entries.size());
    }

    private Set<Integer> devices() {
        Set<Integer> devices = new TreeSet<>();
        entries.keySet().forEach(place -> devices.add(place.device()));
        return devices;
    }

    private List<Entry> of(int device, BufferType type) {
        return entries.entrySet().stream()
                .filter(entry ->
                        entry.getKey().device() == device && entry.getValue().type() == type)
                .map(Map.Entry::getValue)
                .toList();
    }

    private static long bytes(List<Entry> all) {
        return all.stream().mapToLong(Entry::size).sum();
    }

    /** Six digits, as in C++'s default format. */
    private static String figure(long bytes, BigDecimal unit) {
        BigDecimal rounded =
                BigDecimal.valueOf(bytes).divide(unit).round(DIGITS).stripTrailingZeros();
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -4 && exponent < DIGITS.getPrecision()) {
            return rounded.toPlainString();
        }
        String digits = rounded.scaleByPowerOfTen(-exponent).toPlainString();
        return String.format(Locale.ROOT, "%se%s%02d", digits, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    private void line(String format, Object... words) {
        log.append(String.format(Locale.ROOT, format, words)).append('\n');
    }
}
