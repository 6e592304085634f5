package dev.meshguard.verdict.minimize;

import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Ownership;
import dev.meshguard.tracker.WitnessReading;
import dev.meshguard.tracker.history.HistoryEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;

/** What can be made simpler without leaving an event out. */
final class Simplification {

    /** A size that is small and that every memory can lend. */
    private static final long SMALL = 1_024;

    private Simplification() {}

    /** Returns what to try, one after the other: first sizes, then what requests and meshes say besides. */
    static List<UnaryOperator<EventList>> all(EventList list) {
        List<UnaryOperator<EventList>> all = new ArrayList<>();
        all.add(events -> resized(events, size -> Math.min(size, SMALL)));
        TreeSet<Long> sizes = new TreeSet<>();
        for (HistoryEvent event : list.events()) {
            if (event instanceof HistoryEvent.Allocated allocated && allocated.size() > SMALL) {
                sizes.add(allocated.size());
            }
        }
        sizes.stream().limit(16).forEach(large -> {
            all.add(events -> resized(events, size -> size == large ? SMALL : size));
            all.add(events -> resized(events, size -> size == large && size > 2 * SMALL ? 2 * SMALL : size));
        });
        all.add(events -> described(events, Simplification::withoutExtent));
        all.add(events -> described(events, Simplification::withoutProcess));
        all.add(events -> described(events, Simplification::withoutMesh));
        all.add(events -> events.with(Simplification::ofUnknownOwnership));
        all.add(events -> events.with(Simplification::ofUnknownCapacity));
        all.add(Simplification::readWhereBuffersLie);
        return all;
    }

    private static EventList resized(EventList events, LongUnaryOperator resizing) {
        return events.with(event -> {
            if (!(event instanceof HistoryEvent.Allocated e) || resizing.applyAsLong(e.size()) == e.size()) {
                return event;
            }
            return new HistoryEvent.Allocated(
                    e.number(),
                    e.request(),
                    e.device(),
                    e.type(),
                    e.address(),
                    resizing.applyAsLong(e.size()),
                    e.ownership());
        });
    }

    private static EventList described(EventList events, UnaryOperator<AllocationDetails> change) {
        Map<AllocationRequest, AllocationRequest> known = new IdentityHashMap<>();
        return events.with(event -> Rewriting.requestOf(event)
                .filter(request -> !change.apply(request.details()).equals(request.details()))
                .map(request -> Rewriting.requested(
                        event,
                        known.computeIfAbsent(
                                request,
                                unused -> AllocationRequest.restored(
                                        change.apply(request.details()), request.origin()))))
                .orElse(event));
    }

    private static AllocationDetails withoutExtent(AllocationDetails details) {
        return new AllocationDetails(
                details.kind(),
                details.lifetime(),
                details.owner(),
                details.label(),
                OptionalLong.empty(),
                details.processId(),
                details.mesh(),
                details.handleCollected());
    }

    private static AllocationDetails withoutProcess(AllocationDetails details) {
        return new AllocationDetails(
                details.kind(),
                details.lifetime(),
                details.owner(),
                details.label(),
                details.extent(),
                OptionalLong.empty(),
                details.mesh(),
                details.handleCollected());
    }

    private static AllocationDetails withoutMesh(AllocationDetails details) {
        return new AllocationDetails(
                details.kind(),
                details.lifetime(),
                details.owner(),
                details.label(),
                details.extent(),
                details.processId(),
                OptionalInt.empty(),
                details.handleCollected());
    }

    private static HistoryEvent ofUnknownOwnership(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated e && e.ownership() != Ownership.UNKNOWN) {
            return new HistoryEvent.Allocated(
                    e.number(), e.request(), e.device(), e.type(), e.address(), e.size(), Ownership.UNKNOWN);
        } else if (event instanceof HistoryEvent.Freed e && e.ownership() != Ownership.UNKNOWN) {
            return new HistoryEvent.Freed(
                    e.number(), e.request(), e.device(), e.type(), e.address(), Ownership.UNKNOWN);
        }
        return event;
    }

    private static HistoryEvent ofUnknownCapacity(HistoryEvent event) {
        return event instanceof HistoryEvent.MeshOpened e && !e.mesh().capacities().isEmpty()
                ? new HistoryEvent.MeshOpened(e.number(), e.at(), e.mesh().withCapacities(List.of()))
                : event;
    }

    /** A reading says of dozens of memories that nothing is in them. */
    private static EventList readWhereBuffersLie(EventList events) {
        Set<Region> used = new HashSet<>();
        for (HistoryEvent event : events.events()) {
            if (event instanceof HistoryEvent.Allocated e) {
                used.add(new Region(e.device(), e.type()));
            } else if (event instanceof HistoryEvent.Freed e) {
                used.add(new Region(e.device(), e.type()));
            }
        }
        return events.with(event -> {
            if (!(event instanceof HistoryEvent.Witnessed e)) {
                return event;
            }
            WitnessReading.Builder rest =
                    WitnessReading.of(e.reading().mesh(), e.reading().moment());
            int before = 0;
            int after = 0;
            for (int device : e.reading().devices()) {
                for (BufferType type : BufferType.values()) {
                    boolean isRead = e.reading().testify(device, type, 0) != WitnessReading.Testimony.SILENT;
                    List<Long> taken = e.reading().takenAddresses(device, type);
                    boolean isUsed = !taken.isEmpty() || used.contains(new Region(device, type));
                    before += isRead ? 1 : 0;
                    if (isRead && isUsed) {
                        rest.region(device, type, taken.stream().mapToLong(Long::longValue).toArray());
                        after++;
                    }
                }
            }
            return before == after ? event : new HistoryEvent.Witnessed(e.number(), rest.build());
        });
    }

    private record Region(int device, BufferType type) {}
}
