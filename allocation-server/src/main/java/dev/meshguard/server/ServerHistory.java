package dev.meshguard.server;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import org.jspecify.annotations.Nullable;

/** The history of a server: its tracker, and the reports that are missing in it. Guarded by the server's lock. */
final class ServerHistory {

    /** The number of losses recorded as single events, which make the verdict inconclusive; later ones are added up. */
    private static final int MAX_SINGLE_LOSSES = 1000;

    private static final BufferType[] TYPES = BufferType.values();

    final AllocationTracker tracker;

    private int singleLosses;

    /** The number of losses that the tracker does not have yet, and the reason of the last one. */
    private long pendingLosses;

    private String lastReason = "";

    /** Why no program can report any more, if the tracker does not have that yet. */
    private @Nullable String failure;

    ServerHistory(AllocationTracker tracker) {
        this.tracker = tracker;
    }

    void openPeriodBegan(int device) {
        tracker.deviceClosed(device);
        tracker.deviceOpened(device);
    }

    /** Returns a type under which the history has open reports of an address; a given one only if there is no other. */
    BufferType openType(int device, long id, BufferType otherwise) {
        for (BufferType type : TYPES) {
            if (type != otherwise && tracker.openReports(device, type, id) > 0) {
                return type;
            }
        }
        return otherwise;
    }

    /** Counts reports that are missing in the history; a negative number if it is unknown how many. */
    void lost(long count, String reason) {
        if (singleLosses < MAX_SINGLE_LOSSES) {
            singleLosses++;
            tracker.reportsLost(count, reason);
        } else {
            pendingLosses += Math.max(1, count);
            lastReason = "more reports of such kinds; the last: " + reason;
        }
    }

    /** Records that no program can report any more. As the heap may be full, only the next {@link #addUp} reports it to the tracker. */
    void failed(String reason) {
        failure = reason;
    }

    /** Reports the losses that were added up; call it before the history may be read. */
    void addUp() {
        if (pendingLosses > 0) {
            tracker.reportsLost(pendingLosses, lastReason);
        }
        pendingLosses = 0;
        String reason = failure;
        if (reason != null) {
            tracker.reportsLost(1, reason);
        }
        failure = null;
    }
}
