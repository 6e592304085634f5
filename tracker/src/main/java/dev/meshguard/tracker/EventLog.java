package dev.meshguard.tracker;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.tracker.internal.DetailLoggers;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes a tracker's reports to the log of {@code dev.meshguard.tracker.AllocationTracker}.
 *
 * <p>It writes a line per event at DEBUG with the facts as key-value pairs, and a line per mesh at INFO. It writes one
 * warning per kind of anomaly; the count follows when a mesh closes. Nothing is formatted for a level that is off.
 */
final class EventLog {

    private static final Logger LOG = DetailLoggers.of(AllocationTracker.class);

    /** Kinds of reports that a source should not make. */
    enum Warning {
        NOTHING_TO_FREE("free of an address that is not live"),
        SIZE_CHANGE("report of another size at a live address"),
        /** On hardware one may overwrite the other. */
        OVER_ANOTHER_ALLOCATOR("report of an address that another allocator has in the ledger"),
        IGNORED_FREE("free that the runtime ignored");

        private final String description;

        Warning(String description) {
            this.description = description;
        }
    }

    /** How often each anomaly and each loss happened, in the order of their first. */
    private final Map<String, AtomicLong> counts = Collections.synchronizedMap(new LinkedHashMap<>());

    /** Returns whether each event is to be logged. */
    boolean isOn() {
        return LOG.isDebugEnabled();
    }

    /**
     * Logs a report.
     *
     * @param facts keys and values of what else it says
     */
    void reported(String what, MemoryRequest request, int device, BufferType type, long address, Object... facts) {
        LoggingEventBuilder line = details(facts(LOG.atDebug(), device, type, address), request);
        for (int i = 0; i < facts.length; i += 2) {
            line = line.addKeyValue((String) facts[i], facts[i + 1]);
        }
        line.log(what);
    }

    /** Logs an event without an address. */
    void marked(String what, String key, Object value) {
        if (isOn()) {
            LOG.atDebug().addKeyValue(key, printable(value)).log(what);
        }
    }

    /** Logs the first anomaly of its kind as a warning and counts the rest. */
    void happened(Warning what, int device, BufferType type, long address, String detail) {
        if (isFirst(what.description)) {
            facts(warning(), device, type, address)
                    .log(
                            "First {} of this tracker{}; the rest is counted and reported when a mesh closes",
                            what.description,
                            detail);
        }
    }

    private boolean isFirst(String what) {
        return counts.computeIfAbsent(what, unused -> new AtomicLong()).getAndIncrement() == 0;
    }

    /** Logs that a mesh was opened. */
    void meshOpened(MeshDescription mesh) {
        if (LOG.isInfoEnabled()) {
            LOG.atInfo()
                    .addKeyValue("mesh", mesh.id())
                    .log("Opened mesh {}: {}", mesh.id(), printable(mesh.description()));
        }
    }

    /** Logs that a mesh was closed, and how often each anomaly happened. */
    void meshClosed(int mesh, LongSupplier liveBuffers, LongSupplier liveBytes) {
        if (LOG.isInfoEnabled()) {
            long buffers = liveBuffers.getAsLong();
            long bytes = liveBytes.getAsLong();
            LOG.atInfo()
                    .addKeyValue("mesh", mesh)
                    .addKeyValue("liveBuffers", buffers)
                    .addKeyValue("liveBytes", bytes)
                    .log(
                            "Closed mesh {}: {}, {} still in the ledger",
                            mesh,
                            Quantities.count(buffers, "buffer"),
                            Quantities.size(bytes));
        }
        soFar().forEach((what, times) -> {
            if (times.get() > 1) {
                warning().addKeyValue("count", times.get()).log("{} times so far: {}", times, printable(what));
            }
        });
    }

    /** Returns a copy, because an appender may run code that reports to this tracker. */
    private Map<String, AtomicLong> soFar() {
        synchronized (counts) {
            return new LinkedHashMap<>(counts);
        }
    }

    /** Logs that reports are missing, once for each reason. */
    void reportsLost(long count, String reason) {
        if (isFirst("reports lost, " + reason)) {
            warning().addKeyValue("count", count).log("Reports lost: {}", printable(reason));
        }
    }

    private static LoggingEventBuilder warning() {
        return LoggerFactory.getLogger(AllocationTracker.class).atWarn();
    }

    private static LoggingEventBuilder facts(LoggingEventBuilder line, int device, BufferType type, long address) {
        return line.addKeyValue("device", device).addKeyValue("type", type).addKeyValue("address", address);
    }

    /** Escapes a value, because most logs end on a terminal, and most layouts do not escape. */
    private static Object printable(Object value) {
        String text = value.toString();
        String line = PrintableText.line(text);
        return line.equals(text) ? value : line;
    }

    private static LoggingEventBuilder details(LoggingEventBuilder line, MemoryRequest request) {
        LoggingEventBuilder more = line;
        if (request.details().owner().isPresent()) {
            more = more.addKeyValue("owner", printable(request.details().owner().get()));
        }
        if (request.details().label().isPresent()) {
            more = more.addKeyValue("label", printable(request.details().label().get()));
        }
        if (request.details().mesh().isPresent()) {
            more = more.addKeyValue("mesh", request.details().mesh().getAsInt());
        }
        if (request.details().handleCollected()) {
            more = more.addKeyValue("handleCollected", true);
        }
        return more;
    }
}
