package dev.meshguard.tracker;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Reports a recorded history again, event by event.
 *
 * <p>A new tracker that receives it records the same history: in the same order, with the same origins and times, so
 * the verdict is the same. The end of a round that never began is left out, because nothing can report it.
 *
 * <pre>{@code
 * AllocationTracker tracker = HistoryPlayback.of(HistoryJson.read(file)).toTracker();
 * assertThat(tracker).noLeaks();
 * }</pre>
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class HistoryPlayback {

    private static final AllocationDetails NUMBERED = AllocationDetails.user().labelled("a place in the order");

    private final AllocationHistory history;

    private HistoryPlayback(AllocationHistory history) {
        this.history = history;
    }

    /**
     * Returns the playback of a history.
     *
     * @throws IllegalArgumentException if its events were not kept
     */
    public static HistoryPlayback of(AllocationHistory history) {
        if (!history.isComplete()) {
            throw new IllegalArgumentException(
                    "This history holds only what was still allocated and sums, so what happened"
                            + " before cannot be reported again. Record it with Retention.ALL.");
        }
        return new HistoryPlayback(history);
    }

    /**
     * Returns a new tracker that received all reports. It does not know whose {@linkplain AllocationHistory#context() part} the
     * history was, so a mesh that the part left open is open in it.
     */
    public AllocationTracker toTracker() {
        Player telling = new Player(history.hasFlatAddresses());
        history.events().forEach(telling::report);
        return telling.tracker;
    }

    /**
     * Reports the history to a listener that is no tracker, for example a server or another adapter.
     *
     * <p>It receives everything that a source can report: buffers, meshes, devices, owners, processes and witness
     * snapshots. Checks, rounds and search results for handles belong to a tracker and are left out. Requests are
     * created by the listener, as for a source.
     */
    public void to(AllocationListener listener) {
        IdentityHashMap<MemoryRequest, MemoryRequest> asked = new IdentityHashMap<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.Allocated e) {
                MemoryRequest request = asked.computeIfAbsent(e.request(), known -> listener.request(known.details()));
                listener.allocated(request, e.device(), e.type(), e.address(), e.size(), e.ownership());
            } else if (event instanceof HistoryEvent.Freed e) {
                MemoryRequest release = asked.computeIfAbsent(e.request(), known -> listener.release(known.details()));
                listener.freed(release, e.device(), e.type(), e.address(), e.ownership());
            } else if (event instanceof HistoryEvent.FreeIgnored e) {
                MemoryRequest release = asked.computeIfAbsent(e.request(), known -> listener.release(known.details()));
                listener.freeIgnored(release, e.device(), e.type(), e.address(), e.reason());
            } else if (event instanceof HistoryEvent.PhaseBegan e) {
                listener.phase(e.phase());
            } else if (event instanceof HistoryEvent.MeshOpened e) {
                listener.meshOpened(e.mesh());
            } else if (event instanceof HistoryEvent.MeshClosing e) {
                listener.meshClosing(e.mesh());
            } else if (event instanceof HistoryEvent.MeshClosed e) {
                listener.meshClosed(e.mesh());
            } else {
                Player.reportOther(event, listener);
            }
        }
    }

    /** One tracker, and the state of the playback to it. */
    private static final class Player {

        private final AllocationTracker tracker;
        private Instant now = Instant.EPOCH;
        private final Map<Integer, Deque<Scope>> rounds = new HashMap<>();
        private final IdentityHashMap<MemoryRequest, MemoryRequest> unnumbered = new IdentityHashMap<>();

        Player(boolean flatAddresses) {
            AllocationTracker.Builder builder = AllocationTracker.builder()
                    .originCapture(OriginCapture.NONE)
                    .clock(() -> now);
            this.tracker =
                    flatAddresses ? builder.build() : builder.bankedAddresses().build();
        }

        void report(HistoryEvent event) {
            if (event instanceof HistoryEvent.Allocated e) {
                tracker.allocated(inOrder(e.request()), e.device(), e.type(), e.address(), e.size(), e.ownership());
            } else if (event instanceof HistoryEvent.Freed e) {
                tracker.freed(inOrder(e.request()), e.device(), e.type(), e.address(), e.ownership());
            } else if (event instanceof HistoryEvent.FreeIgnored e) {
                tracker.freeIgnored(inOrder(e.request()), e.device(), e.type(), e.address(), e.reason());
            } else if (event instanceof HistoryEvent.HandleTraced e) {
                tracker.traced(unnumbered(e.request()), e.reachability());
            } else if (event instanceof HistoryEvent.BufferCaptured e) {
                tracker.bufferCaptured(e.trace(), unnumbered(e.request()));
            } else if (event instanceof HistoryEvent.PhaseBegan e) {
                now = e.at();
                tracker.phase(e.phase());
            } else if (event instanceof HistoryEvent.MeshOpened e) {
                now = e.at();
                tracker.meshOpened(e.mesh());
            } else if (event instanceof HistoryEvent.MeshClosing e) {
                now = e.at();
                tracker.meshClosing(e.mesh());
            } else if (event instanceof HistoryEvent.MeshClosed e) {
                now = e.at();
                tracker.meshClosed(e.mesh());
            } else {
                reportRare(event);
            }
        }

        private static boolean reportOther(HistoryEvent event, AllocationListener listener) {
            if (event instanceof HistoryEvent.DeviceOpened e) {
                listener.deviceOpened(e.device());
            } else if (event instanceof HistoryEvent.DeviceClosed e) {
                listener.deviceClosed(e.device());
            } else if (event instanceof HistoryEvent.Witnessed e) {
                listener.witnessed(e.snapshot());
            } else if (event instanceof HistoryEvent.OwnerCached e) {
                e.key()
                        .ifPresentOrElse(
                                key -> listener.ownerCached(e.owner(), e.cache(), key),
                                () -> listener.ownerCached(e.owner(), e.cache()));
            } else if (event instanceof HistoryEvent.OwnerEnded e) {
                listener.ownerEnded(e.owner());
            } else if (event instanceof HistoryEvent.ReportsLost e) {
                listener.reportsLost(e.count(), e.reason());
            } else if (event instanceof HistoryEvent.SourceAttached e) {
                listener.sourceAttached(e.source());
            } else if (event instanceof HistoryEvent.SourceNoted e) {
                listener.sourceNoted(e.note());
            } else if (event instanceof HistoryEvent.ProcessDied e) {
                listener.processDied(e.processId());
            } else if (event instanceof HistoryEvent.TrackingStopped e) {
                listener.trackingStopped(e.reason());
            } else if (event instanceof HistoryEvent.TrackingStarted) {
                listener.trackingStarted();
            } else if (event instanceof HistoryEvent.CanaryPlanted e) {
                listener.canaryPlanted(e.mesh(), e.devices());
            } else if (event instanceof HistoryEvent.CaptureBegan e) {
                listener.captureBegan(e.mesh(), e.trace());
            } else if (event instanceof HistoryEvent.ProgramCaptured e) {
                listener.programCaptured(e.trace(), e.program(), e.subDevice());
            } else if (event instanceof HistoryEvent.CaptureEnded e) {
                listener.captureEnded(e.trace());
            } else if (event instanceof HistoryEvent.TraceReplayed e) {
                listener.traceReplayed(e.trace(), e.inFlight());
            } else {
                return false;
            }
            return true;
        }

        private void reportRare(HistoryEvent event) {
            if (reportOther(event, tracker)) {
                return;
            }
            if (event instanceof HistoryEvent.CanarySeen e) {
                MemoryRequest canary = MemoryRequest.of(canary(e.mesh()));
                canaries(
                        e.devices(),
                        device -> tracker.allocated(canary, device, BufferType.L1, 0, 0, Ownership.UNKNOWN));
            } else if (event instanceof HistoryEvent.CanaryFreed e) {
                MemoryRequest canary = MemoryRequest.of(canary(e.mesh()));
                canaries(e.devices(), device -> tracker.freed(canary, device, BufferType.L1, 0, Ownership.UNKNOWN));
            } else if (event instanceof HistoryEvent.Checked e) {
                tracker.checked(e.today());
            } else if (event instanceof HistoryEvent.RoundBegan e) {
                rounds.computeIfAbsent(e.round(), unused -> new ArrayDeque<>()).push(tracker.round(e.round()));
            } else if (event instanceof HistoryEvent.RoundEnded e) {
                Deque<Scope> open = rounds.getOrDefault(e.round(), new ArrayDeque<>());
                if (!open.isEmpty()) {
                    open.pop().close();
                }
            } else {
                throw new IllegalStateException("Nobody said how this event is reported again: " + event);
            }
        }

        /**
         * Gives each request a number, so that devices keep their order; reports without one are ordered by the latest
         * number.
         */
        private MemoryRequest inOrder(MemoryRequest request) {
            tracker.request(NUMBERED);
            return unnumbered(request);
        }

        private MemoryRequest unnumbered(MemoryRequest request) {
            return request.isAnonymous()
                    ? request
                    : unnumbered.computeIfAbsent(
                            request, known -> MemoryRequest.restored(known.details(), known.origin()));
        }

        private void canaries(List<Integer> devices, IntConsumer report) {
            tracker.request(NUMBERED);
            devices.forEach(report::accept);
        }

        private static AllocationDetails canary(int mesh) {
            return mesh < 0 ? AllocationDetails.user().ofKind(BufferKind.CANARY) : AllocationDetails.canary(mesh);
        }
    }
}
