package dev.meshguard.verdict.internal;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.MeshOpenPeriod;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Decides which periods without reports may hide memory.
 *
 * <p>A period may hide memory if something could allocate it: the source reported again, a mesh was open or opened later, or
 * memory was live. Snapshots at the close exclude that for what they cover: the mesh, its devices, their allocators and types
 * of memory. None covers memory without a device.
 */
final class TrackingGaps {

    private final AllocationHistory history;
    private final List<BufferGeneration> ofSubDevices;

    TrackingGaps(AllocationHistory history) {
        this.history = history;
        this.ofSubDevices = history.generationsWith(request -> request.details()
                .allocator()
                .filter(allocator -> allocator.kind() == AllocatorId.Kind.SUB_DEVICE)
                .isPresent());
    }

    /** Returns whether a period may hide memory that no snapshot covers. */
    boolean mayHideMemory(HistoryEvent.TrackingStopped gap) {
        List<MeshOpenPeriod> open = history.meshPeriods().stream()
                .filter(mesh -> !mesh.wasClosedBefore(gap.number()))
                .toList();
        boolean leftSomething = history.liveAt(gap.number()).stream().anyMatch(buffer -> !isWitnessed(buffer));
        return (history.resumesAfter(gap) || !open.isEmpty() || leftSomething || history.allocatedBuffers() == 0)
                && !areWitnessed(open, gap.number());
    }

    private boolean isWitnessed(BufferGeneration buffer) {
        return history.snapshotFor(buffer, Moment.CLOSE_BEGUN).isPresent();
    }

    private boolean areWitnessed(List<MeshOpenPeriod> open, long gap) {
        List<HistoryEvent.Witnessed> later = history.witnessSnapshots().stream()
                .filter(event -> event.number() > gap && event.snapshot().moment() == Moment.CLOSE_BEGUN)
                .toList();
        if (later.isEmpty()) {
            return false;
        }
        Set<Integer> withoutMesh = new TreeSet<>();
        for (BufferGeneration buffer : history.generations()) {
            if (!buffer.hasDevice()) {
                return false;
            }
            if (isHeldAfter(gap, buffer) && open.stream().noneMatch(mesh -> mesh.liesOver(buffer.device()))) {
                withoutMesh.add(buffer.device());
            }
        }
        return withoutMesh.stream()
                        .allMatch(device -> cover(later, device, List.of(AllocatorId.MESH, AllocatorId.DEVICE)))
                && open.stream().allMatch(mesh -> isWitnessed(mesh, gap, later));
    }

    private static boolean isHeldAfter(long gap, BufferGeneration buffer) {
        return buffer.freedAt().orElse(Long.MAX_VALUE) > gap;
    }

    private boolean isWitnessed(MeshOpenPeriod mesh, long gap, List<HistoryEvent.Witnessed> later) {
        List<HistoryEvent.Witnessed> own = later.stream()
                .filter(event -> event.snapshot().mesh() == mesh.mesh() && mesh.wasOpenAt(event.number()))
                .toList();
        return mesh.description().orElseThrow().devices().stream()
                .allMatch(device -> cover(own, device, allocators(mesh, device, gap)));
    }

    /**
     * Returns the allocators that end with the close of a mesh: that of a device if no other mesh is open over it, and those
     * of sub-devices as far as reports name them.
     */
    private List<AllocatorId> allocators(MeshOpenPeriod mesh, int device, long gap) {
        List<AllocatorId> allocators = new ArrayList<>(List.of(AllocatorId.MESH));
        ofSubDevices.stream()
                .filter(buffer -> buffer.device() == device && isHeldAfter(gap, buffer))
                .filter(buffer -> buffer.request().details().mesh().equals(OptionalInt.of(mesh.mesh())))
                .flatMap(buffer -> buffer.allocator().stream())
                .forEach(allocators::add);
        if (history.meshPeriods().stream()
                .noneMatch(other -> other.liesOver(device) && other.wasOpenAt(mesh.closedAt()))) {
            allocators.add(AllocatorId.DEVICE);
        }
        return allocators;
    }

    /** Returns whether snapshots cover all memory of some allocators on a device; one that names none joins all of them. */
    private static boolean cover(List<HistoryEvent.Witnessed> snapshots, int device, List<AllocatorId> allocators) {
        return allocators.stream()
                .allMatch(allocator -> typesOf(allocator)
                        .allMatch(type -> snapshots.stream()
                                .map(HistoryEvent.Witnessed::snapshot)
                                .filter(snapshot -> snapshot.allocator()
                                        .map(allocator::equals)
                                        .orElse(true))
                                .anyMatch(snapshot -> snapshot.stateOf(device, type, 0) != AddressState.UNKNOWN)));
    }

    /** The allocator of a sub-device reserves L1 of its cores only, and none reserves memory of the host. */
    private static Stream<BufferType> typesOf(AllocatorId allocator) {
        return allocator.kind() == AllocatorId.Kind.SUB_DEVICE
                ? Stream.of(BufferType.L1)
                : Stream.of(BufferType.values()).filter(type -> type.memory() != BufferType.Memory.SYSTEM);
    }
}
