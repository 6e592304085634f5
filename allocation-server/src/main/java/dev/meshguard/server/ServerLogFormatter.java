package dev.meshguard.server;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.internal.LiveEntries.Entry;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Formats the lines of an allocation server's log; {@code docs/runtime-outputs.md} describes the dialects.
 *
 * <p>The words are those of tt-metal's allocation server, because existing tools search for them. Lines about single buffers are
 * built without a format: a server logs one for every report.
 */
final class ServerLogFormatter {

    private static final long KILOBYTE = 1024;
    private static final long MEGABYTE = 1024 * KILOBYTE;
    private static final int MAX_SINGLE_BUFFERS = 10;
    private static final MathContext SIX_DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);
    private static final Pattern LAST_ZEROS = Pattern.compile("\\.0+(?=e|$)|(?<=\\.\\d{0,10})0+(?=e|$)");
    private static final String[] KERNEL_KINDS = {"Application", "Fabric", "Dispatch"};

    private static final String ALLOCATED = ServerLog.bytesOf("✓ [PID ");
    private static final String FREED = ServerLog.bytesOf("✗ [PID ");
    private static final String WARNING = ServerLog.bytesOf("⚠ [PID ");

    private final ServerLog log;

    ServerLogFormatter(ServerLog log) {
        this.log = log;
    }

    // Reports of one buffer

    /** Logs an allocation; from the second reference on the line contains the count. */
    void allocated(long process, long size, BufferType type, int device, long id, long references) {
        if (log.isOn()) {
            StringBuilder out = log.text().append(ALLOCATED).append(process).append("] Allocated ");
            out.append(size).append(" bytes of ").append(type.name());
            out.append(" on device ").append(device).append(" (buffer_id=").append(Long.toUnsignedString(id));
            if (references > 1) {
                out.append(", ref_count=").append(references);
            }
            out.append(')');
            log.end();
        }
    }

    /** Logs a released reference; the line contains the first process and the size of the entry. */
    void freed(long process, long id, int device, long size, long referencesLeft) {
        if (log.isOn()) {
            StringBuilder out = log.text().append(FREED).append(process).append("] Freed buffer ");
            out.append(Long.toUnsignedString(id)).append(" on device ").append(device);
            out.append(" (").append(size).append(" bytes, ");
            if (referencesLeft > 0) {
                out.append("ref_count=").append(referencesLeft).append(" remaining)");
            } else {
                out.append("FINAL)");
            }
            log.end();
        }
    }

    /** Logs a free without an entry. */
    void unknownFree(long process, long id, int device) {
        if (log.isOn()) {
            StringBuilder out = log.text().append(WARNING).append(process).append("] Deallocation for unknown buffer ");
            out.append(Long.toUnsignedString(id)).append(" on device ").append(device);
            out.append(" (allocated before tracking started)");
            log.end();
        }
    }

    // Rejected reports

    /** Logs the warning of an invalid memory type. */
    void invalidType(long process, int type, long id, int device) {
        log.line(
                "⚠ [PID %d] Invalid buffer_type %d for buffer %s on device %d",
                process, type, Long.toUnsignedString(id), device);
    }

    /** Logs the warning of another invalid field. */
    void invalid(String field, String value) {
        log.line("⚠️  Invalid %s %s - ignoring message", field, value);
    }

    /** Logs the warning of an unknown message. */
    void unknownMessage(int type) {
        log.line("Unknown message type: %d", type);
    }

    /** Logs that a connection is closed because of invalid records. */
    void tooManyErrors(int errors) {
        log.line("⚠️  Too many consecutive errors (%d) - closing connection (likely protocol mismatch)", errors);
    }

    /** Logs that a program's records provably have another size; log parsers treat it as a rejection. */
    void otherSize(int connection, int theirs, int ours) {
        log.line(
                "⚠️  Invalid size of records: connection %d sends %d bytes each, this server reads %d - closing"
                        + " connection (protocol mismatch)",
                connection, theirs, ours);
    }

    // State of the server

    /** Logs the start of the server. */
    void started(String path) {
        log.line("🚀 Allocation Server started");
        log.line("   Listening on: %s", path);
    }

    /** Logs the end of the server. */
    void stopped() {
        log.line("");
        log.line("🛑 Allocation Server stopped");
    }

    /** Logs the allocated memory, by device. */
    void statistics(ReportedBuffers buffers) {
        log.line("");
        log.line("📊 Current Statistics:");
        for (int device : buffers.ledger.devices()) {
            if (buffers.ledger.entries(device) == 0) {
                continue;
            }
            log.line("  Device %d:", device);
            log.line("    Buffers: %d", buffers.ledger.entries(device));
            for (BufferType type : List.of(BufferType.DRAM, BufferType.L1)) {
                long bytes = buffers.bytes(device, type);
                log.line("    %s: %s bytes (%s KB)", type, Long.toUnsignedString(bytes), figure(bytes, KILOBYTE));
            }
            long total = Arrays.stream(BufferType.values())
                    .mapToLong(type -> buffers.bytes(device, type))
                    .sum();
            log.line("    Total: %s bytes", Long.toUnsignedString(total));
        }
        log.line("  Active allocations: %d", buffers.ledger.entries());
    }

    // Dead processes

    /** Logs that processes were found dead. */
    void deadFound() {
        log.line("");
        log.line("⚠️  Detected dead processes, cleaning up orphaned buffers...");
    }

    /** Logs the removal of one dead process. */
    void dead(long process) {
        log.line("   PID %d is dead, removing its buffers...", process);
    }

    /**
     * Logs the remaining references of an entry in which a dead process had a share; follows the line of the process.
     * tt-metal's server has no such line: it removes every entry with its owner, so the owner is enough.
     */
    void shared(long id, int device, long references, long process, long owner) {
        log.line(
                "   Buffer %s on device %d keeps ref_count=%d without PID %d, and belongs to PID %d",
                Long.toUnsignedString(id), device, references, process, owner);
    }

    /** Logs the removed allocations of a dead process of one kind: buffers, CBs, kernels. */
    void removed(long count, String kind, long bytes, long process) {
        log.line("   ✓ Removed %d %s (%s MB) from PID %d", count, kind, figure(bytes, MEGABYTE), process);
    }

    /** Logs the end of a list of dead processes. */
    void deadEnd() {
        log.line("");
    }

    /** Logs that lines are omitted here; log parsers know the dots. */
    void omitted() {
        log.line("... reports are missing here");
    }

    // Dumps

    /** Logs a request for a dump. */
    void dumpAskedFor() {
        log.line("📋 Received DUMP_REMAINING request...");
    }

    /** Logs the remaining buffers. */
    void dump(ReportedBuffers buffers) {
        String rule = "═".repeat(62);
        log.line("");
        log.line("╔%s╗", rule);
        log.line("║           REMAINING ALLOCATED BUFFERS                       ║");
        log.line("╚%s╝", rule);
        log.line("Total tracked allocations: %d", buffers.ledger.entries());
        log.line("");
        if (buffers.ledger.entries() == 0) {
            log.line("✓ No buffers remaining - perfect cleanup!");
        } else {
            buffers.ledger.devices().stream()
                    .filter(device -> buffers.ledger.entries(device) > 0)
                    .forEach(device -> remaining(buffers, device));
            log.line("Total remaining buffers: %d", buffers.ledger.entries());
            log.line("");
        }
        log.line("📋 DUMP_REMAINING complete.");
    }

    private void remaining(ReportedBuffers buffers, int device) {
        log.line("Device %d:", device);
        for (BufferType type : BufferType.values()) {
            long count = buffers.ledger.totals(device, type).liveBuffers();
            if (count == 0) {
                continue;
            }
            log.line("  %s: %d buffers, %s MB total", type, count, figure(buffers.bytes(device, type), MEGABYTE));
            if (count <= MAX_SINGLE_BUFFERS) {
                for (Entry entry : buffers.entries(device, type)) {
                    log.line(
                            "    - Buffer 0x%x: %s KB (PID %d, ref_count=%d)",
                            entry.address(),
                            figure(entry.size(), KILOBYTE),
                            ReportedBuffers.processOf(entry),
                            entry.reports());
                }
            }
        }
        log.line("");
    }

    // Circular buffers and kernels

    /** Logs the allocation or the free of a circular buffer. */
    void circularBuffer(boolean isAllocated, int device, long bytes, long total) {
        sum(isAllocated, isAllocated ? "CB_ALLOC]" : "CB_FREE]", device, bytes, total);
    }

    /** Logs that a kernel was loaded or unloaded. */
    void kernel(boolean isLoaded, int kind, int device, long bytes, long total) {
        String name = kind >= 0 && kind < KERNEL_KINDS.length ? KERNEL_KINDS[kind] : "Unknown";
        sum(isLoaded, (isLoaded ? "KERNEL_LOAD] " : "KERNEL_UNLOAD] ") + name + " kernel on", device, bytes, total);
    }

    private void sum(boolean isAdded, String what, int device, long bytes, long total) {
        if (log.isOn()) {
            log.line(
                    isAdded ? "✓ [%s Device %d: +%s MB (Total: %s MB)" : "✗ [%s Device %d: -%s MB (Total: %s MB)",
                    what,
                    device,
                    figure(bytes, MEGABYTE),
                    figure(total, MEGABYTE));
        }
    }

    // Figures

    /**
     * Returns a quotient in C++'s default format: six digits, no zeros at the end. The server divides floating-point numbers, in which
     * large ones are already rounded.
     */
    static String figure(long unsignedBytes, long unit) {
        double bytes = new BigInteger(Long.toUnsignedString(unsignedBytes)).doubleValue();
        String digits = String.format(Locale.ROOT, "%.6g", new BigDecimal(bytes / unit).round(SIX_DIGITS));
        return LAST_ZEROS.matcher(digits).replaceFirst("");
    }
}
