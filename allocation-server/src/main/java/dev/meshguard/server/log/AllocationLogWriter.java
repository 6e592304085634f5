package dev.meshguard.server.log;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.ledger.internal.BufferRecord;
import dev.meshguard.server.ledger.internal.DeathListener;
import dev.meshguard.server.ledger.internal.LogLineBuffer;
import dev.meshguard.server.ledger.internal.RunningTotals;
import dev.meshguard.server.ledger.internal.ServerLedger;
import dev.meshguard.server.ledger.internal.ServerLogFormatter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes a history as a log of tt-metal's server.
 *
 * <pre>{@code
 * AllocationLogWriter.write(tracker.history(), LogDialect.REFERENCE_COUNTED, file);
 * }</pre>
 *
 * <p>tt-metal's own tools can then read the history of a mesh without hardware, and reading it back gives the same
 * reports. A check becomes a dump, the end of a process a block of dead processes. A log has no lines for owners,
 * origins, lifetimes, phases, meshes and witness snapshots; they are omitted. If the history lost reports, or
 * has memory that belongs to no device, a line states that lines are missing.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationLogWriter {

    private static final Set<LogDialect> WRITTEN = Collections.unmodifiableSet(EnumSet.of(
            LogDialect.WITHOUT_REFERENCES,
            LogDialect.REFERENCE_COUNTED,
            LogDialect.HEXADECIMAL,
            LogDialect.WITH_CIRCULAR_BUFFERS));

    private final LogDialect dialect;

    private final ServerLogFormatter lines;
    private final ServerLedger ledger;
    private final RunningTotals circularBuffers = new RunningTotals(report -> {});
    /** Whether a line says so. */
    private boolean omitsMemory;

    private AllocationLogWriter(LogDialect dialect, LogLineBuffer target) {
        this.dialect = dialect;
        boolean hexadecimal = dialect == LogDialect.HEXADECIMAL || dialect == LogDialect.WITH_CIRCULAR_BUFFERS;
        this.lines = new ServerLogFormatter(target, hexadecimal);
        this.ledger = new ServerLedger(true, new DeathListener() {
            @Override
            public void finished(long process, long buffers, long bytes) {
                lines.removed(buffers, "buffers", bytes, process);
            }
        });
    }

    /** Returns the dialects that can be written. */
    public static Set<LogDialect> dialects() {
        return WRITTEN;
    }

    /**
     * Writes a history as a log.
     *
     * @throws IllegalArgumentException if the dialect is not in {@link #dialects()}
     * @throws IOException if writing to the target fails
     */
    public static void write(AllocationHistory history, LogDialect dialect, Appendable target) throws IOException {
        if (!WRITTEN.contains(dialect)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Logs of the dialect %s cannot be written, because its form is not known whole. These can: %s",
                    dialect,
                    WRITTEN.stream().map(LogDialect::name).collect(Collectors.joining(", "))));
        }
        LogLineBuffer buffer = new LogLineBuffer(
                (bytes, length) -> target.append(new String(bytes, 0, length, StandardCharsets.UTF_8)));
        try {
            new AllocationLogWriter(dialect, buffer).write(history.events());
            buffer.flush();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void write(List<HistoryEvent> events) {
        lines.started("/tmp/tt_allocation_server.sock");
        events.forEach(this::write);
        if (countsReferences()) {
            lines.statistics(ledger);
        }
        lines.stopped();
    }

    private boolean countsReferences() {
        return dialect != LogDialect.WITHOUT_REFERENCES;
    }

    private void write(HistoryEvent event) {
        if (isOfNoDevice(event)) {
            omitMemoryOfNoDevice();
        } else if (event instanceof HistoryEvent.Allocated report) {
            allocated(report);
        } else if (event instanceof HistoryEvent.Freed report) {
            freed(report);
        } else if (event instanceof HistoryEvent.ProcessDied death && countsReferences()) {
            died(death.processId());
        } else if (event instanceof HistoryEvent.Checked && countsReferences()) {
            lines.dumpAskedFor();
            lines.dump(ledger);
        } else if (event instanceof HistoryEvent.ReportsLost || event instanceof HistoryEvent.TrackingStopped) {
            lines.omitted();
        }
    }

    private static boolean isOfNoDevice(HistoryEvent event) {
        return (event instanceof HistoryEvent.Allocated allocated && allocated.device() == HistoryEvent.NO_DEVICE)
                || (event instanceof HistoryEvent.Freed freed && freed.device() == HistoryEvent.NO_DEVICE);
    }

    private void omitMemoryOfNoDevice() {
        if (!omitsMemory) {
            omitsMemory = true;
            lines.omitted();
        }
    }

    private void allocated(HistoryEvent.Allocated report) {
        long process = processOf(report.request());
        if (isSummed(report.request())) {
            circularBuffers.added(
                    new RunningTotals.Entry(report.device(), report.address(), report.size(), 0, process, 0));
            lines.circularBuffer(true, report.device(), report.size(), circularBuffers.bytes(report.device()));
            return;
        }
        BufferRecord record = countsReferences()
                ? ledger.allocated(report.device(), report.type(), report.address(), report.size(), process)
                : ledger.allocatedOver(report.device(), report.type(), report.address(), report.size(), process);
        lines.allocated(process, report.size(), report.type(), report.device(), report.address(), record.references());
    }

    private void freed(HistoryEvent.Freed report) {
        long process = processOf(report.request());
        if (isSummed(report.request())) {
            long bytes = circularBuffers.removed(report.device(), report.address(), 0);
            lines.circularBuffer(false, report.device(), bytes, circularBuffers.bytes(report.device()));
            return;
        }
        BufferRecord record = ledger.find(report.device(), report.address());
        if (record == null || record.references() == 0) {
            lines.unknownFree(process, report.address(), report.device());
            return;
        }
        if (countsReferences()) {
            long owner = record.owner();
            long left = ledger.freed(record, process);
            lines.freed(record, owner, left);
        } else {
            lines.freedAtOnce(record);
            ledger.freedAtOnce(record);
        }
        ledger.forgetIfOver(record);
    }

    /** The last server receives circular buffers separately, and logs sums of them. */
    private boolean isSummed(MemoryRequest request) {
        return dialect == LogDialect.WITH_CIRCULAR_BUFFERS && request.details().kind() == BufferKind.CIRCULAR_BUFFER;
    }

    private void died(long process) {
        if (!ledger.hasAnyOf(process)) {
            return;
        }
        lines.deadFound();
        lines.dead(process);
        ledger.announceDeath(process);
        ledger.clean(Integer.MAX_VALUE);
        lines.blank();
    }

    private static long processOf(MemoryRequest request) {
        return request.details().processId().orElse(ServerLogFormatter.NO_PROCESS);
    }
}
