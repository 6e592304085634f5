package dev.meshguard.report;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * The buffers that were allocated while a trace of their mesh was live. The runtime warns there, whether a replay overwrites them
 * or not.
 *
 * <p>Source: {@code tt_metal/impl/allocator/allocator.cpp}.
 */
final class UnsafeAllocations {

    /** The mesh of each trace. */
    private final Map<Owner, Integer> meshes = new HashMap<>();

    /** The mesh of each live trace. */
    private final Map<Owner, Integer> live = new HashMap<>();

    /** The meshes where an allocation is unsafe now. */
    private final Set<Integer> unsafe = new HashSet<>();

    /** Returns the note of a report, if there is any such buffer. */
    static Optional<String> noteOf(AllocationHistory history) {
        if (history.traceEvents().isEmpty()) {
            return Optional.empty();
        }
        LongSummaryStatistics found = new UnsafeAllocations().eventsIn(history);
        return found.getCount() == 0
                ? Optional.empty()
                : Optional.of(Quantities.count(found.getCount(), "buffer") + (found.getCount() == 1 ? " was" : " were")
                        + " allocated while a trace was live, where the runtime warns once per thread; first at event #"
                        + found.getMin());
    }

    private LongSummaryStatistics eventsIn(AllocationHistory history) {
        PriorityQueue<HistoryEvent> changes = new PriorityQueue<>(Comparator.comparingLong(HistoryEvent::number));
        changes.addAll(history.traceEvents());
        changes.addAll(history.events(HistoryEvent.OwnerEnded.class));
        LongSummaryStatistics found = new LongSummaryStatistics();
        for (BufferGeneration buffer : history.generations()) {
            while (!changes.isEmpty() && changes.element().number() < buffer.allocatedAt()) {
                read(changes.remove());
            }
            if (isUnsafe(buffer)) {
                found.accept(buffer.allocatedAt());
            }
        }
        return found;
    }

    private void read(HistoryEvent event) {
        if (event instanceof HistoryEvent.CaptureBegan began) {
            meshes.put(began.trace(), began.mesh());
            unsafe.remove(began.mesh());
        } else if (event instanceof HistoryEvent.CaptureEnded ended && meshes.containsKey(ended.trace())) {
            live.put(ended.trace(), meshes.get(ended.trace()));
            unsafe.add(meshes.get(ended.trace()));
        } else if (event instanceof HistoryEvent.OwnerEnded ended && live.remove(ended.owner()) != null) {
            unsafe.retainAll(live.values());
        }
    }

    private boolean isUnsafe(BufferGeneration buffer) {
        AllocationDetails details = buffer.request().details();
        return details.kind() == BufferKind.BUFFER
                && !details.view()
                && details.owner()
                        .filter(owner -> owner.kind() == Owner.Kind.TRACE)
                        .isEmpty()
                && details.mesh().stream().anyMatch(unsafe::contains);
    }
}
