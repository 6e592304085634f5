package dev.meshguard.verification.corpus.stage;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Reachability;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Returns for each handle what the program did with it: kept or dropped.
 *
 * <p>It is queried for all buffers that remain in the ledger, like a search of the heap, so also for buffers that were freed
 * long ago.
 */
public final class RememberedHandles implements HandleFinder {

    @Override
    public void find(AllocationTracker tracker, Stage stage) {
        find(tracker, stage, request -> true);
    }

    /** Does so only for what the source handed out no handle to, of which nobody else can find it out. */
    void findWithoutHandle(AllocationTracker tracker, Stage stage) {
        find(tracker, stage, request -> request.handle().isEmpty());
    }

    private static void find(AllocationTracker tracker, Stage stage, Predicate<MemoryRequest> which) {
        Set<MemoryRequest> asked = Collections.newSetFromMap(new IdentityHashMap<>());
        for (BufferGeneration buffer : tracker.history().live()) {
            for (BufferGeneration.Report report : buffer.reportsRemaining()) {
                if (which.test(report.request()) && asked.add(report.request())) {
                    reachability(stage, report.request()).ifPresent(found -> tracker.traced(report.request(), found));
                }
            }
        }
    }

    /** Returns what the program did with its handle; an operation that failed gave it none. */
    static Optional<Reachability> reachability(Stage stage, MemoryRequest request) {
        Optional<Owner> owner = request.details().owner();
        if (owner.filter(trace -> trace.kind() == Owner.Kind.TRACE).isPresent()) {
            return Optional.empty();
        }
        Optional<Handle> handle = stage.handleOf(stage.road().stepOf(request));
        if (handle.isEmpty() && owner.isEmpty() && request.details().lifetime() == BufferLifetime.USER) {
            return Optional.of(Reachability.lost());
        }
        return handle.filter(known -> known.isOfAProgram() == owner.isPresent())
                .map(known -> known.isHeld() ? Reachability.heldBy(known.path()) : Reachability.lost());
    }
}
