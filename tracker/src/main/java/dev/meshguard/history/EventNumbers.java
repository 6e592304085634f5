package dev.meshguard.history;

import dev.meshguard.event.HistoryEvent;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/** Renumbers events, for code that creates a history from a part of another one. */
@API(status = Status.INTERNAL, since = "0.1")
public final class EventNumbers {

    private EventNumbers() {}

    /** Returns an event with another number. */
    public static HistoryEvent numbered(HistoryEvent event, long number) {
        if (event instanceof HistoryEvent.Allocated e) {
            return new HistoryEvent.Allocated(
                    number, e.request(), e.device(), e.type(), e.address(), e.size(), e.ownership());
        } else if (event instanceof HistoryEvent.Freed e) {
            return new HistoryEvent.Freed(number, e.request(), e.device(), e.type(), e.address(), e.ownership());
        } else if (event instanceof HistoryEvent.FreeIgnored e) {
            return new HistoryEvent.FreeIgnored(number, e.request(), e.device(), e.type(), e.address(), e.reason());
        } else if (event instanceof HistoryEvent.PhaseBegan e) {
            return new HistoryEvent.PhaseBegan(number, e.at(), e.phase());
        } else if (event instanceof HistoryEvent.MeshOpened e) {
            return new HistoryEvent.MeshOpened(number, e.at(), e.mesh());
        } else if (event instanceof HistoryEvent.MeshClosing e) {
            return new HistoryEvent.MeshClosing(number, e.at(), e.mesh());
        } else if (event instanceof HistoryEvent.MeshClosed e) {
            return new HistoryEvent.MeshClosed(number, e.at(), e.mesh());
        } else if (event instanceof HistoryEvent.DeviceOpened e) {
            return new HistoryEvent.DeviceOpened(number, e.device());
        } else if (event instanceof HistoryEvent.DeviceClosed e) {
            return new HistoryEvent.DeviceClosed(number, e.device());
        } else if (event instanceof HistoryEvent.OwnerCached e) {
            return new HistoryEvent.OwnerCached(number, e.owner(), e.cache(), e.key());
        } else if (event instanceof HistoryEvent.OwnerEnded e) {
            return new HistoryEvent.OwnerEnded(number, e.owner());
        } else if (event instanceof HistoryEvent.Witnessed e) {
            return new HistoryEvent.Witnessed(number, e.snapshot());
        }
        return rareNumbered(event, number);
    }

    private static HistoryEvent rareNumbered(HistoryEvent event, long number) {
        if (event instanceof HistoryEvent.ReportsLost e) {
            return new HistoryEvent.ReportsLost(number, e.count(), e.reason());
        } else if (event instanceof HistoryEvent.SourceAttached e) {
            return new HistoryEvent.SourceAttached(number, e.source());
        } else if (event instanceof HistoryEvent.SourceNoted e) {
            return new HistoryEvent.SourceNoted(number, e.note());
        } else if (event instanceof HistoryEvent.ProcessDied e) {
            return new HistoryEvent.ProcessDied(number, e.processId());
        } else if (event instanceof HistoryEvent.TrackingStopped e) {
            return new HistoryEvent.TrackingStopped(number, e.reason());
        } else if (event instanceof HistoryEvent.TrackingStarted) {
            return new HistoryEvent.TrackingStarted(number);
        } else if (event instanceof HistoryEvent.Checked e) {
            return new HistoryEvent.Checked(number, e.today());
        } else if (event instanceof HistoryEvent.HandleTraced e) {
            return new HistoryEvent.HandleTraced(number, e.request(), e.reachability());
        } else if (event instanceof HistoryEvent.RoundBegan e) {
            return new HistoryEvent.RoundBegan(number, e.round());
        } else if (event instanceof HistoryEvent.RoundEnded e) {
            return new HistoryEvent.RoundEnded(number, e.round());
        }
        return ofTraceNumbered(event, number);
    }

    private static HistoryEvent ofTraceNumbered(HistoryEvent event, long number) {
        if (event instanceof HistoryEvent.CaptureBegan e) {
            return new HistoryEvent.CaptureBegan(number, e.mesh(), e.trace());
        } else if (event instanceof HistoryEvent.ProgramCaptured e) {
            return new HistoryEvent.ProgramCaptured(number, e.trace(), e.program(), e.subDevice());
        } else if (event instanceof HistoryEvent.BufferCaptured e) {
            return new HistoryEvent.BufferCaptured(number, e.trace(), e.request());
        } else if (event instanceof HistoryEvent.CaptureEnded e) {
            return new HistoryEvent.CaptureEnded(number, e.trace());
        } else if (event instanceof HistoryEvent.TraceReplayed e) {
            return new HistoryEvent.TraceReplayed(number, e.trace(), e.inFlight());
        }
        throw new IllegalStateException("Nobody said how this event is numbered: " + event);
    }
}
