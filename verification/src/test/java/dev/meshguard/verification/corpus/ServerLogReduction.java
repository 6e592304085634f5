package dev.meshguard.verification.corpus;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verification.corpus.route.SocketRoute;
import java.util.IdentityHashMap;

/**
 * The part of a history that survives in the log of a server: allocations and frees with process, type, size, device and
 * address, the ends of processes, and the mark of the dump.
 *
 * <p>Owners, origins, lifetimes, labels, ownership, extents, meshes, phases, caches, handles, witnesses and ignored frees are
 * missing. A circular buffer is an L1 buffer like any other. This is the most that the servers of {@code allocation-tracking}
 * log; not every generation of them has the mark.
 */
public final class ServerLogReduction {

    private final AllocationTracker tracker = AllocationTracker.builder()
            .originCapture(OriginCapture.NONE)
            .bankedAddresses()
            .build();
    private final IdentityHashMap<MemoryRequest, MemoryRequest> originals = new IdentityHashMap<>();

    /** Reduces a history. */
    public ServerLogReduction(AllocationHistory history) {
        tracker.sourceAttached("server log");
        history.events().forEach(this::reduce);
    }

    /** Returns what is left. */
    public AllocationHistory history() {
        return tracker.history();
    }

    /** Returns the request of which a request of the reduced history is what is left. */
    public MemoryRequest originalOf(MemoryRequest reduced) {
        return originals.getOrDefault(reduced, reduced);
    }

    private void reduce(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated allocated) {
            MemoryRequest request = tracker.request(reduced(allocated.request()));
            originals.put(request, allocated.request());
            tracker.allocated(
                    request,
                    allocated.device(),
                    allocated.type(),
                    allocated.address(),
                    allocated.size(),
                    Ownership.UNKNOWN);
        } else if (event instanceof HistoryEvent.Freed freed) {
            tracker.freed(
                    tracker.release(reduced(freed.request())),
                    freed.device(),
                    freed.type(),
                    freed.address(),
                    Ownership.UNKNOWN);
        } else if (event instanceof HistoryEvent.ProcessDied died) {
            tracker.processDied(died.processId());
        } else if (event instanceof HistoryEvent.Checked) {
            tracker.checked();
        }
    }

    private static AllocationDetails reduced(MemoryRequest request) {
        return AllocationDetails.user()
                .ofKind(BufferKind.BUFFER)
                .reportedBy(request.details().processId().orElse(SocketRoute.ONLY_PROCESS));
    }
}
