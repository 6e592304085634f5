package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Passes the reports of programs to the tracker, up to a limit.
 *
 * <p>A tracker keeps its events for its whole lifetime, and a server may run for months. Beyond a number of events it
 * receives no more, and its history records that. Guarded by the server's lock.
 */
final class BoundedReporter {

    /** The number of losses recorded as single events; later ones are added up. */
    private static final int MAX_SINGLE_LOSSES = 1000;

    private final AllocationTracker tracker;
    private final ServerErrors problems;
    private final long maxEvents;
    private long events;
    private boolean isKept;

    private int singleLosses;
    private long losses;
    private long reportedAt = MAX_SINGLE_LOSSES;
    private String lastLoss = "";

    /**
     * Creates a reporter.
     *
     * @param maxEvents the number of events that the tracker may receive; none if it is not used at all
     */
    BoundedReporter(AllocationTracker tracker, long maxEvents, ServerErrors problems) {
        this.tracker = tracker;
        this.problems = problems;
        this.maxEvents = maxEvents;
        this.isKept = maxEvents > 0;
    }

    /** Returns whether the tracker still receives reports. */
    boolean isKept() {
        return isKept;
    }

    /** Returns whether there is room for one more event, and records the end of the history if there is none. */
    private boolean hasRoom() {
        if (!isKept) {
            return false;
        }
        events++;
        if (events <= maxEvents) {
            return true;
        }
        addUp();
        isKept = false;
        String why = String.format(
                Locale.ROOT,
                "the history has %d events, which is its limit (maxEvents): what is reported from now on is not in it",
                maxEvents);
        // Later frees and allocations are unknown, so even a history without survivors proves nothing.
        tracker.reportsLost(1, why);
        problems.add(why);
        return false;
    }

    void allocated(AllocationDetails who, int device, BufferType type, long id, long size) {
        if (isRecordable(device) && hasRoom()) {
            tracker.allocated(
                    tracker.requestOfProcess(who, Optional.empty()), device, type, id, size, Ownership.UNKNOWN);
        }
    }

    void freed(AllocationDetails who, int device, BufferType type, long id) {
        if (isRecordable(device) && hasRoom()) {
            tracker.freed(tracker.requestOfProcess(who, Optional.empty()), device, type, id, Ownership.UNKNOWN);
        }
    }

    void freeIgnored(AllocationDetails who, int device, BufferType type, long id) {
        if (isRecordable(device) && hasRoom()) {
            tracker.freeIgnored(
                    tracker.requestOfProcess(who, Optional.empty()),
                    device,
                    type,
                    id,
                    IgnoredFreeReason.UNKNOWN_ADDRESS);
        }
    }

    private boolean isRecordable(int device) {
        if (device <= HistoryEvent.MAX_DEVICE) {
            return true;
        }
        lost(
                1,
                "device " + device + " was reported, and only devices 0 to " + HistoryEvent.MAX_DEVICE
                        + " can be recorded");
        return false;
    }

    /** Begins a request of a client that says more of it than a record can. */
    MemoryRequest request(AllocationDetails details, Optional<Origin> origin) {
        return tracker.requestOfProcess(details, origin);
    }

    void allocated(MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        if (hasRoom()) {
            tracker.allocated(request, device, type, address, size, ownership);
        }
    }

    void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        if (hasRoom()) {
            tracker.freed(release, device, type, address, ownership);
        }
    }

    void freeIgnored(MemoryRequest release, int device, BufferType type, long address, IgnoredFreeReason reason) {
        if (hasRoom()) {
            tracker.freeIgnored(release, device, type, address, reason);
        }
    }

    /** Begins a phase; returns the scope that ends it, or nothing if there is no room. */
    Optional<Scope> phase(Phase phase) {
        if (!hasRoom()) {
            return Optional.empty();
        }
        // Its end is an event too.
        events++;
        return Optional.of(tracker.phase(phase));
    }

    /** Passes an event on that is no report about memory. */
    void report(Consumer<AllocationListener> event) {
        if (hasRoom()) {
            event.accept(tracker);
        }
    }

    void deviceOpened(int device) {
        if (!tracker.devices().contains(device) && isRecordable(device) && hasRoom()) {
            tracker.deviceOpened(device);
        }
    }

    void openPeriodBegan(int device) {
        if (isRecordable(device) && hasRoom()) {
            tracker.deviceClosed(device);
            tracker.deviceOpened(device);
        }
    }

    void sourceAttached(String source) {
        if (hasRoom()) {
            tracker.sourceAttached(source);
        }
    }

    void processDied(long process) {
        if (hasRoom()) {
            tracker.processDied(process);
        }
    }

    /** Counts reports that are missing in the history. */
    void lost(long count, String reason) {
        if (singleLosses < MAX_SINGLE_LOSSES) {
            singleLosses++;
            if (hasRoom()) {
                tracker.reportsLost(count, reason);
            }
            return;
        }
        losses += Math.max(1, count);
        lastLoss = reason;
        if (losses >= reportedAt) {
            reportedAt *= 2;
            addUp();
        }
    }

    /** Updates the number of losses; call it before the history may be read. */
    void addUp() {
        if (losses > 0 && isKept) {
            tracker.reportsLost(losses, "more reports of such kinds; the last: " + lastLoss);
        }
        losses = 0;
    }

    /** Programs that are still connected cannot report any more, and the number of their later reports is unknown. */
    void stopped(String reason) {
        if (isKept) {
            addUp();
            tracker.reportsLost(-1, reason);
        }
    }

    /** No program can report any more, and some reports may not have been recorded. */
    void failed(String reason) {
        if (isKept) {
            tracker.reportsLost(1, reason);
        }
    }
}
