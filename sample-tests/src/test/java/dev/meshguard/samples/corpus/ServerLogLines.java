package dev.meshguard.samples.corpus;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.AllocationHistory;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The lines that tt-metal's allocation server would have printed for a history: the generation with reference counts and
 * decimal ids, in which the id of a buffer is its address.
 */
final class ServerLogLines {

    private record Key(int device, long id) {}

    /** An entry of the server: the size, type and owner of the first report, and the number of reports. */
    private record Entry(long size, BufferType type, long pid, int references) {
        Entry with(int newReferences) {
            return new Entry(size, type, pid, newReferences);
        }
    }

    private final Map<Key, Entry> entries = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();

    private ServerLogLines() {}

    /** Returns the lines for a history in which every request names its process. */
    static List<String> of(AllocationHistory history) {
        ServerLogLines server = new ServerLogLines();
        history.events().forEach(server::accept);
        return server.lines;
    }

    private void accept(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated allocated) {
            allocated(allocated);
        } else if (event instanceof HistoryEvent.Freed freed) {
            freed(freed);
        } else if (event instanceof HistoryEvent.ProcessDied died) {
            died(died.processId());
        } else if (event instanceof HistoryEvent.Checked) {
            dump();
        }
    }

    private void allocated(HistoryEvent.Allocated event) {
        Key key = new Key(event.device(), event.address());
        Entry first = new Entry(event.size(), event.type(), pidOf(event.request()), 0);
        int references = entries.getOrDefault(key, first).references() + 1;
        entries.put(key, entries.getOrDefault(key, first).with(references));
        line(
                "✓ [PID %d] Allocated %d bytes of %s on device %d (buffer_id=%d%s)",
                pidOf(event.request()),
                event.size(),
                event.type(),
                event.device(),
                event.address(),
                references > 1 ? ", ref_count=" + references : "");
    }

    private void freed(HistoryEvent.Freed event) {
        Key key = new Key(event.device(), event.address());
        Entry entry = entries.get(key);
        if (entry == null) {
            line(
                    "⚠ [PID %d] Deallocation for unknown buffer %d on device %d (allocated before tracking started)",
                    pidOf(event.request()), key.id(), key.device());
            return;
        }
        boolean isFinal = entry.references() == 1;
        line(
                "✗ [PID %d] Freed buffer %d on device %d (%d bytes, %s)",
                entry.pid(),
                key.id(),
                key.device(),
                entry.size(),
                isFinal ? "FINAL" : "ref_count=" + (entry.references() - 1) + " remaining");
        if (isFinal) {
            entries.remove(key);
        } else {
            entries.put(key, entry.with(entry.references() - 1));
        }
    }

    private void died(long pid) {
        List<Entry> orphans =
                entries.values().stream().filter(entry -> entry.pid() == pid).toList();
        if (orphans.isEmpty()) {
            return;
        }
        entries.values().removeIf(entry -> entry.pid() == pid);
        long bytes = orphans.stream().mapToLong(Entry::size).sum();
        line("");
        line("⚠️  Detected dead processes, cleaning up orphaned buffers...");
        line("   PID %d is dead, removing its buffers...", pid);
        line("   ✓ Removed %d buffers (%s MB) from PID %d", orphans.size(), megabytes(bytes), pid);
        line("");
    }

    private void dump() {
        line("📋 Received DUMP_REMAINING request...");
        line("");
        line("╔%s╗", "═".repeat(62));
        line("║%s║", String.format(Locale.ROOT, "%-61s", "           REMAINING ALLOCATED BUFFERS"));
        line("╚%s╝", "═".repeat(62));
        line("Total tracked allocations: %d", entries.size());
        line("");
        if (entries.isEmpty()) {
            line("✓ No buffers remaining - perfect cleanup!");
        } else {
            line("Total remaining buffers: %d", entries.size());
        }
        line("📋 DUMP_REMAINING complete.");
    }

    private static long pidOf(MemoryRequest request) {
        return request.details().processId().orElseThrow();
    }

    /** Six digits, as the server's language prints a number by default; good for what a corpus holds. */
    private static String megabytes(long bytes) {
        return new BigDecimal(bytes)
                .divide(BigDecimal.valueOf(1_048_576), new MathContext(6))
                .stripTrailingZeros()
                .toPlainString();
    }

    private void line(String format, Object... arguments) {
        lines.add(String.format(Locale.ROOT, format, arguments));
    }
}
