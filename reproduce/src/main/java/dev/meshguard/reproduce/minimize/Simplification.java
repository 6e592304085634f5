package dev.meshguard.reproduce.minimize;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.verdict.baseline.Fingerprint;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Simplifications of a history that omit no event. */
final class Simplification {

    /** Bounds the number of odd sizes that are tried. */
    private static final int MAX_SIZES = 16;

    private static final int MAX_REGIONS = 64;

    private Simplification() {}

    /** Returns the simplifications to try, in order: first sizes, then details of requests and meshes. */
    static List<UnaryOperator<MutableHistory>> all(MutableHistory list) {
        List<UnaryOperator<MutableHistory>> all = new ArrayList<>();
        all.add(events -> resized(events, Fingerprint::sizeClassOf));
        TreeSet<Long> sizes = new TreeSet<>();
        for (HistoryEvent event : list.events()) {
            if (event instanceof HistoryEvent.Allocated allocated
                    && Fingerprint.sizeClassOf(allocated.size()) != allocated.size()) {
                sizes.add(allocated.size());
            }
        }
        sizes.stream()
                .limit(MAX_SIZES)
                .forEach(odd ->
                        all.add(events -> resized(events, size -> size == odd ? Fingerprint.sizeClassOf(size) : size)));
        all.add(events -> described(events, Simplification::withoutExtent));
        all.add(events -> described(events, Simplification::withoutProcess));
        all.add(events -> described(events, Simplification::withoutMesh));
        all.add(events -> events.with(Simplification::ofUnknownOwnership));
        all.add(events -> events.with(Simplification::ofUnknownCapacity));
        all.addAll(silences(list));
        return all;
    }

    private static MutableHistory resized(MutableHistory events, LongUnaryOperator resizing) {
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

    private static MutableHistory described(MutableHistory events, UnaryOperator<AllocationDetails> change) {
        IdentityHashMap<MemoryRequest, MemoryRequest> known = new IdentityHashMap<>();
        return events.with(event -> HistoryEditor.requestOf(event)
                .filter(request -> !change.apply(request.details()).equals(request.details()))
                .map(request -> HistoryEditor.requested(
                        event,
                        known.computeIfAbsent(
                                request,
                                unused -> MemoryRequest.restored(change.apply(request.details()), request.origin()))))
                .orElse(event));
    }

    private static AllocationDetails withoutExtent(AllocationDetails details) {
        return with(details, OptionalLong.empty(), details.processId(), true);
    }

    private static AllocationDetails withoutProcess(AllocationDetails details) {
        return with(details, details.extent(), OptionalLong.empty(), true);
    }

    private static AllocationDetails withoutMesh(AllocationDetails details) {
        return with(details, details.extent(), details.processId(), false);
    }

    /** A connection belongs to a process, and no finding depends on it. */
    private static AllocationDetails with(
            AllocationDetails details, OptionalLong extent, OptionalLong process, boolean withMesh) {
        return new AllocationDetails(
                details.kind(),
                details.lifetime(),
                details.owner(),
                details.label(),
                extent,
                process,
                withMesh ? details.mesh() : OptionalInt.empty(),
                details.handleCollected(),
                OptionalInt.empty(),
                withMesh ? details.allocator() : Optional.empty(),
                withMesh && details.view(),
                OptionalLong.empty(),
                details.source(),
                details.freedOnCollection());
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
        return event instanceof HistoryEvent.MeshOpened e
                        && !e.mesh().capacities().isEmpty()
                ? new HistoryEvent.MeshOpened(e.number(), e.at(), e.mesh().withCapacities(List.of()))
                : event;
    }

    /** A snapshot covers dozens of empty memories; they can be removed from it. */
    private static List<UnaryOperator<MutableHistory>> silences(MutableHistory list) {
        Set<Region> used = new HashSet<>();
        Set<Region> read = new LinkedHashSet<>();
        for (HistoryEvent event : list.events()) {
            if (event instanceof HistoryEvent.Allocated e) {
                used.add(new Region(e.device(), e.type()));
            } else if (event instanceof HistoryEvent.Freed e) {
                used.add(new Region(e.device(), e.type()));
            } else if (event instanceof HistoryEvent.Witnessed e) {
                addEmptyRegions(e.snapshot(), read);
            }
        }
        List<UnaryOperator<MutableHistory>> silences = new ArrayList<>();
        silences.add(events -> events.with(event -> silentAbout(event, region -> !used.contains(region))));
        read.stream()
                .limit(MAX_REGIONS)
                .forEach(region -> silences.add(events -> events.with(event -> silentAbout(event, region::equals))));
        return silences;
    }

    private static void addEmptyRegions(WitnessSnapshot reading, Set<Region> read) {
        for (int device : reading.devices()) {
            for (BufferType type : BufferType.values()) {
                if (isEmpty(reading, device, type)) {
                    read.add(new Region(device, type));
                }
            }
        }
    }

    private static HistoryEvent silentAbout(HistoryEvent event, Predicate<Region> silent) {
        if (!(event instanceof HistoryEvent.Witnessed e)) {
            return event;
        }
        WitnessSnapshot reading = e.snapshot();
        WitnessSnapshot.Builder rest = WitnessSnapshot.of(reading.mesh(), reading.moment());
        reading.allocator().ifPresent(rest::ofAllocator);
        boolean any = false;
        for (int device : reading.devices()) {
            for (BufferType type : BufferType.values()) {
                boolean isSilent = isEmpty(reading, device, type) && silent.test(new Region(device, type));
                any |= isSilent;
                if (!isSilent && reading.stateOf(device, type, 0) != WitnessSnapshot.AddressState.UNKNOWN) {
                    rest.region(
                            device,
                            type,
                            reading.allocatedAddresses(device, type).stream()
                                    .mapToLong(Long::longValue)
                                    .toArray());
                }
            }
        }
        return any ? new HistoryEvent.Witnessed(e.number(), rest.build()) : event;
    }

    private static boolean isEmpty(WitnessSnapshot reading, int device, BufferType type) {
        return reading.stateOf(device, type, 0) != WitnessSnapshot.AddressState.UNKNOWN
                && reading.allocatedAddresses(device, type).isEmpty();
    }

    private record Region(int device, BufferType type) {}
}
