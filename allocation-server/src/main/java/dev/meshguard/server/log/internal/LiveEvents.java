package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.Retention;

/** The live buffers of a log, and sums; for logs that are larger than the memory. */
final class LiveEvents {

    private final AllocationTracker tracker = AllocationTracker.builder()
            .originCapture(OriginCapture.NONE)
            .retention(Retention.LIVE_AND_TOTALS)
            .bankedAddresses()
            .build();

    void allocated(MemoryRequest request, int device, BufferType type, long address, long size) {
        tracker.allocated(request, device, type, address, size, Ownership.UNKNOWN);
    }

    void freed(MemoryRequest request, int device, BufferType type, long address) {
        tracker.freed(request, device, type, address, Ownership.UNKNOWN);
    }

    void accept(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated report) {
            tracker.allocated(
                    report.request(),
                    report.device(),
                    report.type(),
                    report.address(),
                    report.size(),
                    report.ownership());
        } else if (event instanceof HistoryEvent.Freed report) {
            tracker.freed(report.request(), report.device(), report.type(), report.address(), report.ownership());
        } else if (event instanceof HistoryEvent.FreeIgnored report) {
            tracker.freeIgnored(report.request(), report.device(), report.type(), report.address(), report.reason());
        } else {
            acceptMarker(event);
        }
    }

    private void acceptMarker(HistoryEvent event) {
        if (event instanceof HistoryEvent.SourceAttached attached) {
            tracker.sourceAttached(attached.source());
        } else if (event instanceof HistoryEvent.DeviceOpened opened) {
            tracker.deviceOpened(opened.device());
        } else if (event instanceof HistoryEvent.DeviceClosed closed) {
            tracker.deviceClosed(closed.device());
        } else if (event instanceof HistoryEvent.ProcessDied died) {
            tracker.processDied(died.processId());
        } else if (event instanceof HistoryEvent.TrackingStopped stopped) {
            tracker.trackingStopped(stopped.reason());
        } else if (event instanceof HistoryEvent.TrackingStarted) {
            tracker.trackingStarted();
        } else if (event instanceof HistoryEvent.Checked checked) {
            tracker.checked(checked.today());
        } else if (event instanceof HistoryEvent.ReportsLost lost) {
            tracker.reportsLost(lost.count(), lost.reason());
        } else if (!(event instanceof HistoryEvent.PhaseBegan
                || event instanceof HistoryEvent.RoundBegan
                || event instanceof HistoryEvent.RoundEnded)) {
            // Phases and rounds belong to the past, which is not kept.
            throw new IllegalStateException("A log has no such event: " + event);
        }
    }

    AllocationHistory history() {
        return tracker.history();
    }
}
