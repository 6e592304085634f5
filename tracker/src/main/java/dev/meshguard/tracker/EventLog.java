package dev.meshguard.tracker;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.internal.Ledger;
import dev.meshguard.tracker.internal.DetailLoggers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

    /** Logs the first anomaly of its kind as a warning and counts the rest. */
    private static final class Once {
        private final String what;
        private final AtomicLong count = new AtomicLong();

        private Once(String what) {
            this.what = what;
        }

        private void happened(int device, BufferType type, long address, String detail) {
            if (count.getAndIncrement() == 0) {
                facts(warning(), device, type, address)
                        .log(
                                "First {} of this tracker{}; the rest is counted and reported when a mesh closes",
                                what,
                                detail);
            }
        }

        private void report() {
            long happened = count.get();
            if (happened > 1) {
                warning().addKeyValue("count", happened).log("{} times so far: {}", happened, what);
            }
        }
    }

    private final Once nothingToFree = new Once("free of an address that is not live");
    private final Once sizeChange = new Once("report of another size at a live address");
    private final Once overAnotherAllocator = new Once("report of an address that another allocator has in the ledger");
    private final Map<String, AtomicLong> lost = new ConcurrentHashMap<>();
    private final Once ignoredFree = new Once("free that the runtime ignored");

    /** Returns whether each event is to be logged. */
    public boolean isOn() {
        return LOG.isDebugEnabled();
    }

    /** Logs an allocation. */
    public void allocated(
            MemoryRequest request,
            int device,
            BufferType type,
            long address,
            long size,
            Ownership ownership,
            Ledger.Effect effect) {
        details(facts(LOG.atDebug(), device, type, address), request)
                .addKeyValue("size", size)
                .addKeyValue("ownership", ownership)
                .addKeyValue("effect", effect)
                .log("allocated");
    }

    /** Logs a free. */
    public void freed(
            MemoryRequest release,
            int device,
            BufferType type,
            long address,
            Ownership ownership,
            Ledger.Effect effect) {
        details(facts(LOG.atDebug(), device, type, address), release)
                .addKeyValue("ownership", ownership)
                .addKeyValue("effect", effect)
                .log("freed");
    }

    /** Logs a free that the runtime ignored. */
    public void freeIgnored(
            MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        details(facts(LOG.atDebug(), device, type, address), release)
                .addKeyValue("reason", reason)
                .log("free ignored");
    }

    /** Logs an event without an address. */
    public void marked(String what, String key, Object value) {
        if (isOn()) {
            LOG.atDebug().addKeyValue(key, printable(value)).log(what);
        }
    }

    /** Records that a free found nothing. */
    public void nothingToFree(int device, BufferType type, long address) {
        nothingToFree.happened(device, type, address, "");
    }

    /** Records a report of another size. */
    public void sizeChange(int device, BufferType type, long address, long size) {
        sizeChange.happened(device, type, address, ", " + Quantities.size(size));
    }

    /**
     * Records a report of an address that the ledger holds for another allocator: on hardware one may overwrite the
     * other.
     */
    public void overAnotherAllocator(int device, BufferType type, long address, long size) {
        overAnotherAllocator.happened(device, type, address, ", " + Quantities.size(size));
    }

    /** Records a free that the runtime ignored. */
    public void ignoredFree(int device, BufferType type, long address, IgnoredFreeReason reason) {
        ignoredFree.happened(device, type, address, ", because " + reason.description());
    }

    /** Logs that a mesh was opened. */
    public void meshOpened(MeshDescription mesh) {
        if (LOG.isInfoEnabled()) {
            LOG.atInfo()
                    .addKeyValue("mesh", mesh.id())
                    .log("Opened mesh {}: {}", mesh.id(), printable(mesh.description()));
        }
    }

    /** Logs that a mesh was closed, and how often each anomaly happened. */
    public void meshClosed(int mesh, LongSupplier liveBuffers, LongSupplier liveBytes) {
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
        nothingToFree.report();
        sizeChange.report();
        overAnotherAllocator.report();
        ignoredFree.report();
        lost.forEach((reason, times) -> {
            if (times.get() > 1) {
                warning()
                        .addKeyValue("count", times.get())
                        .log("{} times so far: reports lost, {}", times, printable(reason));
            }
        });
    }

    /** Logs that reports are missing, once for each reason. */
    public void reportsLost(long count, String reason) {
        AtomicLong soFar = lost.computeIfAbsent(reason, unused -> new AtomicLong());
        if (soFar.getAndIncrement() == 0) {
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
