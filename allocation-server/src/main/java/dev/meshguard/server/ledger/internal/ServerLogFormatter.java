package dev.meshguard.server.ledger.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.protocol.DeviceInfo;
import java.util.List;
import java.util.Locale;

/**
 * Formats the lines of an allocation server's log; {@code docs/server-logs.md} describes the dialects.
 *
 * <p>The words are those of tt-metal's allocation server, because existing tools search for them.
 */
public final class ServerLogFormatter {

    private static final long KILOBYTE = 1024;
    private static final long MEGABYTE = 1024 * KILOBYTE;
    private static final long GIGABYTE = 1024 * MEGABYTE;
    private static final int MAX_SINGLE_BUFFERS = 10;
    private static final int BOX_WIDTH = 62;
    private static final int TITLE_WIDTH = 61;
    private static final int TITLE_INDENT = 11;
    private static final String[] KERNEL_KINDS = {"Application", "Fabric", "Dispatch"};

    private static final byte[] ALLOCATED_OPEN = LogLineBuffer.utf8("✓ [PID ");
    private static final byte[] FREED_OPEN = LogLineBuffer.utf8("✗ [PID ");
    private static final byte[] WARNING_OPEN = LogLineBuffer.utf8("⚠ [PID ");
    private static final byte[] ALLOCATED = LogLineBuffer.utf8("] Allocated ");
    private static final byte[] BYTES_OF = LogLineBuffer.utf8(" bytes of ");
    private static final byte[] ON_DEVICE = LogLineBuffer.utf8(" on device ");
    private static final byte[] BUFFER_ID = LogLineBuffer.utf8(" (buffer_id=");
    private static final byte[] REFERENCES = LogLineBuffer.utf8(", ref_count=");
    private static final byte[] CLOSE = LogLineBuffer.utf8(")");
    private static final byte[] FREED = LogLineBuffer.utf8("] Freed buffer ");
    private static final byte[] OPEN = LogLineBuffer.utf8(" (");
    private static final byte[] REMAINING_REFERENCES = LogLineBuffer.utf8(" bytes, ref_count=");
    private static final byte[] REMAINING = LogLineBuffer.utf8(" remaining)");
    private static final byte[] FINAL = LogLineBuffer.utf8(" bytes, FINAL)");
    private static final byte[] UNKNOWN = LogLineBuffer.utf8("] Deallocation for unknown buffer ");
    private static final byte[] BEFORE = LogLineBuffer.utf8(" (allocated before tracking started)");
    private static final byte[] PREFIX = LogLineBuffer.utf8("0x");
    private static final byte[][] TYPES = names();

    private final LogLineBuffer out;
    private final boolean isHexadecimal;

    /** Creates the lines that are appended to a buffer. */
    public ServerLogFormatter(LogLineBuffer out, boolean hexadecimalIds) {
        this.out = out;
        this.isHexadecimal = hexadecimalIds;
    }

    private static byte[][] names() {
        BufferType[] types = BufferType.values();
        byte[][] names = new byte[types.length][];
        for (int i = 0; i < types.length; i++) {
            names[i] = LogLineBuffer.utf8(types[i].name());
        }
        return names;
    }

    // Reports of one buffer

    /** Logs an allocation; from the second reference on the line contains the count. */
    public void allocated(long process, long size, BufferType type, int device, long id, long references) {
        process(ALLOCATED_OPEN, process)
                .text(ALLOCATED)
                .unsigned(size)
                .text(BYTES_OF)
                .text(TYPES[type.ordinal()]);
        out.text(ON_DEVICE).number(device).text(BUFFER_ID);
        id(id);
        if (references > 1) {
            out.text(REFERENCES).number(references);
        }
        out.text(CLOSE).end();
    }

    /** Logs a released reference; the line contains the owner and the size of the entry. */
    public void freed(BufferRecord record, long owner, long referencesLeft) {
        process(FREED_OPEN, owner).text(FREED);
        id(record.id);
        out.text(ON_DEVICE).number(record.device()).text(OPEN).unsigned(record.size);
        if (referencesLeft > 0) {
            out.text(REMAINING_REFERENCES)
                    .number(referencesLeft)
                    .text(REMAINING)
                    .end();
        } else {
            out.text(FINAL).end();
        }
    }

    /** Logs a free without an entry. */
    public void unknownFree(long process, long id, int device) {
        process(WARNING_OPEN, process).text(UNKNOWN);
        id(id);
        out.text(ON_DEVICE).number(device).text(BEFORE).end();
    }

    private LogLineBuffer process(byte[] open, long process) {
        return out.text(open).number(process);
    }

    private void id(long id) {
        if (isHexadecimal) {
            out.text(PREFIX).hexadecimal(id);
        } else {
            out.unsigned(id);
        }
    }

    // Rejected reports

    /** Logs the first servers' warning of an invalid memory type. */
    public void invalidType(long process, int type, long id, int device) {
        process(WARNING_OPEN, process)
                .text("] Invalid buffer_type ")
                .number(type)
                .text(" for buffer ");
        id(id);
        out.text(ON_DEVICE).number(device).end();
    }

    /** Logs the last server's warning of an invalid memory type. */
    public void invalidType(int type, long id, int device) {
        out.text("⚠️  Invalid buffer_type ").number(type).text(" for buffer ").unsigned(id);
        out.text(ON_DEVICE).number(device).end();
    }

    /** Logs the warning of an invalid device. */
    public void invalidDevice(int device) {
        out.text("⚠️  Invalid device_id ")
                .number(device)
                .text(" - ignoring message")
                .end();
    }

    /** Logs the warning of an invalid size. */
    public void invalidSize(long size) {
        out.text("⚠️  Invalid size ").unsigned(size).text(" - ignoring message").end();
    }

    /** Logs the warning of an unknown message. */
    public void unknownMessage(int type) {
        out.text("Unknown message type: ").number(type).end();
    }

    /** Logs that a connection is closed because of invalid records. */
    public void tooManyErrors(int errors) {
        out.text("⚠️  Too many consecutive errors (").number(errors);
        out.text(") - closing connection (likely protocol mismatch)").end();
    }

    /** Logs that a program's records provably have another size; log parsers treat it as a rejection. */
    public void otherSize(int connection, int theirs, int ours) {
        out.text(String.format(
                        Locale.ROOT,
                        "⚠️  Invalid size of records: connection %d sends %d bytes each, this server reads %d - closing"
                                + " connection (protocol mismatch)",
                        connection,
                        theirs,
                        ours))
                .end();
    }

    // State of the server

    /** Logs the start of the server. */
    public void started(String path) {
        out.text("🚀 Allocation Server started").end();
        out.text("   Listening on: ").text(path).end();
        out.text("   Press Ctrl+C to stop").end();
    }

    /** Logs the start of checks for dead processes. */
    public void cleanupStarted(long seconds) {
        out.text("🔄 Background cleanup thread started (checking every ")
                .number(seconds)
                .text("s)")
                .end();
    }

    /** Logs the end of checks for dead processes. */
    public void cleanupStopped() {
        out.text("🔄 Background cleanup thread stopped").end();
    }

    /** Logs the end of the server. */
    public void stopped() {
        blank();
        out.text("🛑 Allocation Server stopped").end();
    }

    /** Logs the devices that the server knows. */
    public void devices(List<DeviceInfo> devices, boolean areOfLastServer) {
        out.text("🔍 Device detection (using ")
                .text(areOfLastServer ? "UMD Cluster for accurate specs" : "TT-Metal APIs")
                .text("):")
                .end();
        for (DeviceInfo device : devices) {
            out.text("   Device ").number(device.device()).text(": ").text(device.architectureName());
            out.text(" (").number(device.totalDram() / GIGABYTE).text("GB DRAM, ");
            out.number(device.totalL1() / MEGABYTE)
                    .text("MB L1)")
                    .text(areOfLastServer ? " [Local]" : "")
                    .end();
        }
        if (devices.isEmpty()) {
            out.text("   No devices detected").end();
            out.text("   Server will track allocations anyway").end();
        } else {
            out.text("   Total: ")
                    .number(devices.size())
                    .text(" device(s) detected")
                    .end();
        }
    }

    /** Logs the allocated memory, by device. */
    public void statistics(ServerLedger ledger) {
        blank();
        out.text("📊 Current Statistics:").end();
        for (int device : ledger.devices()) {
            if (ledger.buffers(device) == 0 && ledger.bytes(device) == 0) {
                continue;
            }
            out.text("  Device ").number(device).text(":").end();
            out.text("    Buffers: ").number(ledger.buffers(device)).end();
            statistics("DRAM", ledger.bytes(device, BufferType.DRAM));
            statistics("L1", ledger.bytes(device, BufferType.L1));
            out.text("    Total: ")
                    .unsigned(ledger.bytes(device))
                    .text(" bytes")
                    .end();
        }
        out.text("  Active allocations: ").number(ledger.entries()).end();
    }

    private void statistics(String type, long bytes) {
        out.text("    ").text(type).text(": ").unsigned(bytes).text(" bytes (");
        out.figure(bytes, KILOBYTE).text(" KB)").end();
    }

    // Dead processes

    /** Logs that processes were found dead. */
    public void deadFound() {
        blank();
        out.text("⚠️  Detected dead processes, cleaning up orphaned buffers...").end();
    }

    /** Logs the removal of one dead process. */
    public void dead(long process) {
        out.text("   PID ")
                .number(process)
                .text(" is dead, removing its buffers...")
                .end();
    }

    /**
     * Logs the remaining references of an entry in which a dead process had a share; follows the line of the process.
     * tt-metal's server has no such line: it removes every entry with its owner, so the owner is enough.
     */
    public void shared(BufferRecord record, long process) {
        out.text("   Buffer ");
        id(record.id);
        out.text(ON_DEVICE).number(record.device()).text(" keeps ref_count=");
        out.number(record.referencesWithout(process)).text(" without PID ").number(process);
        out.text(", and belongs to PID ").number(record.ownerWithout(process)).end();
    }

    /** Logs the removed allocations of a dead process of one kind: buffers, CBs, kernels. */
    public void removed(long count, String kind, long bytes, long process) {
        out.text("   ✓ Removed ").number(count).text(" ").text(kind).text(" (");
        out.figure(bytes, MEGABYTE).text(" MB) from PID ").number(process).end();
    }

    /** Logs an empty line. */
    public void blank() {
        out.end();
    }

    /** Logs that lines are omitted here; log parsers know the dots. */
    public void omitted() {
        out.text("... reports are missing here").end();
    }

    // Dumps

    /** Logs a request for a dump. */
    public void dumpAskedFor() {
        out.text("📋 Received DUMP_REMAINING request...").end();
    }

    /** Logs the remaining buffers. */
    public void dump(ServerLedger ledger) {
        box("REMAINING ALLOCATED BUFFERS");
        out.text("Total tracked allocations: ").number(ledger.entries()).end();
        blank();
        if (ledger.entries() == 0) {
            out.text("✓ No buffers remaining - perfect cleanup!").end();
        } else {
            ledger.devices().stream()
                    .filter(device -> ledger.buffers(device) > 0)
                    .forEach(device -> remaining(ledger, device));
            out.text("Total remaining buffers: ").number(ledger.entries()).end();
            blank();
        }
        out.text("📋 DUMP_REMAINING complete.").end();
    }

    private void remaining(ServerLedger ledger, int device) {
        out.text("Device ").number(device).text(":").end();
        for (BufferType type : BufferType.values()) {
            long buffers = ledger.buffers(device, type);
            if (buffers == 0) {
                continue;
            }
            out.text("  ")
                    .text(TYPES[type.ordinal()])
                    .text(": ")
                    .number(buffers)
                    .text(" buffers, ");
            out.figure(ledger.bytes(device, type), MEGABYTE).text(" MB total").end();
            if (buffers <= MAX_SINGLE_BUFFERS) {
                ledger.entries(device, type).forEach(this::remaining);
            }
        }
        blank();
    }

    private void remaining(BufferRecord record) {
        out.text("    - Buffer 0x").hexadecimal(record.id).text(": ").figure(record.size, KILOBYTE);
        process(LogLineBuffer.utf8(" KB (PID "), record.owner())
                .text(REFERENCES)
                .number(record.references)
                .text(CLOSE)
                .end();
    }

    private void box(String title) {
        blank();
        String rule = "═".repeat(BOX_WIDTH);
        String padded = " ".repeat(TITLE_INDENT) + title;
        out.text("╔" + rule + "╗").end();
        out.text("║" + padded + " ".repeat(TITLE_WIDTH - padded.length()) + "║").end();
        out.text("╚" + rule + "╝").end();
    }

    // Circular buffers and kernels

    /** Logs the allocation or the free of a circular buffer. */
    public void circularBuffer(boolean isAllocated, int device, long bytes, long total) {
        out.text(isAllocated ? "✓ [CB_ALLOC] Device " : "✗ [CB_FREE] Device ");
        out.number(device).text(isAllocated ? ": +" : ": -");
        sum(bytes, total);
    }

    /** Logs that a kernel was loaded or unloaded. */
    public void kernel(boolean isLoaded, int kind, int device, long bytes, long total) {
        out.text(isLoaded ? "✓ [KERNEL_LOAD] " : "✗ [KERNEL_UNLOAD] ")
                .text(kind >= 0 && kind < KERNEL_KINDS.length ? KERNEL_KINDS[kind] : "Unknown");
        out.text(" kernel on Device ").number(device).text(isLoaded ? ": +" : ": -");
        sum(bytes, total);
    }

    private void sum(long bytes, long total) {
        out.figure(bytes, MEGABYTE)
                .text(" MB (Total: ")
                .figure(total, MEGABYTE)
                .text(" MB)")
                .end();
    }

    /** Logs the loaded kernels. */
    public void kernels(RunningTotals kernels, long now) {
        List<RunningTotals.Entry> all = kernels.all();
        box("DETAILED KERNEL ALLOCATIONS");
        out.text("Total kernel allocations: ").number(all.size()).end();
        blank();
        all.stream()
                .map(RunningTotals.Entry::device)
                .distinct()
                .forEach(device -> kernels(
                        device,
                        kernels.bytes(device),
                        all.stream().filter(kernel -> kernel.device() == device).toList(),
                        now));
        out.text("📋 DUMP_KERNELS complete.").end();
    }

    private void kernels(int device, long bytes, List<RunningTotals.Entry> loaded, long now) {
        out.text("📊 Device ")
                .number(device)
                .text(" - Total: ")
                .figure(bytes, MEGABYTE)
                .text(" MB (");
        out.number(loaded.size()).text(" kernels)").end();
        for (RunningTotals.Entry kernel : loaded) {
            out.text("  ┌─────────────────────────────").end();
            out.text("  │ Kernel ID: 0x").hexadecimal(kernel.id()).end();
            out.text("  │ Size: ").figure(kernel.size(), KILOBYTE).text(" KB").end();
            out.text("  │ Owner PID: ").number(kernel.process()).end();
            out.text("  │ Age: ")
                    .number(Math.max(0, now - kernel.reportedAt()))
                    .text(" seconds")
                    .end();
            out.text("  └─────────────────────────────").end();
        }
        blank();
    }
}
