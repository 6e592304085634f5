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
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The buffers that were allocated while a trace of their mesh was live. The runtime warns there, whether a replay overwrites them
 * or not.
 *
 * <p>Source: {@code tt_metal/impl/allocator/allocator.cpp}.
 */
final class UnsafeAllocations {

    /** The mesh of each trace. */
    private final Map<Owner, Integer> meshes = new HashMap<>();

    private final Set<Owner> live = new HashSet<>();

    /** For each mesh the events that changed whether allocations are unsafe. */
    private final Map<Integer, TreeMap<Long, Boolean>> changes = new HashMap<>();

    private UnsafeAllocations(AllocationHistory history) {
        Stream.concat(history.traceEvents().stream(), history.events(HistoryEvent.OwnerEnded.class).stream())
                .sorted(Comparator.comparingLong(HistoryEvent::number))
                .forEach(this::read);
    }

    /** Returns the note of a report, if there is any such buffer. */
    static Optional<String> noteOf(AllocationHistory history) {
        if (history.traceEvents().isEmpty()) {
            return Optional.empty();
        }
        LongSummaryStatistics found = history.generations().stream()
                .filter(new UnsafeAllocations(history)::has)
                .mapToLong(BufferGeneration::allocatedAt)
                .summaryStatistics();
        return found.getCount() == 0
                ? Optional.empty()
                : Optional.of(Quantities.count(found.getCount(), "buffer") + (found.getCount() == 1 ? " was" : " were")
                        + " allocated while a trace was live, where the runtime warns once per thread; first at event #"
                        + found.getMin());
    }

    private void read(HistoryEvent event) {
        if (event instanceof HistoryEvent.CaptureBegan began) {
            meshes.put(began.trace(), began.mesh());
            change(began.mesh(), event, false);
        } else if (event instanceof HistoryEvent.CaptureEnded ended && meshes.containsKey(ended.trace())) {
            live.add(ended.trace());
            change(meshes.get(ended.trace()), event, true);
        } else if (event instanceof HistoryEvent.OwnerEnded ended && meshes.containsKey(ended.owner())) {
            int mesh = meshes.get(ended.owner());
            live.remove(ended.owner());
            if (live.stream().noneMatch(trace -> Integer.valueOf(mesh).equals(meshes.get(trace)))) {
                change(mesh, event, false);
            }
        }
    }

    private void change(int mesh, HistoryEvent event, boolean unsafe) {
        changes.computeIfAbsent(mesh, unused -> new TreeMap<>()).put(event.number(), unsafe);
    }

    private boolean has(BufferGeneration buffer) {
        AllocationDetails details = buffer.request().details();
        return details.kind() == BufferKind.BUFFER
                && !details.view()
                && details.owner()
                        .filter(owner -> owner.kind() == Owner.Kind.TRACE)
                        .isEmpty()
                && details.mesh().stream()
                        .mapToObj(mesh -> changes.getOrDefault(mesh, new TreeMap<>()))
                        .map(ofMesh -> ofMesh.floorEntry(buffer.allocatedAt()))
                        .anyMatch(change -> change != null && change.getValue());
    }
}
