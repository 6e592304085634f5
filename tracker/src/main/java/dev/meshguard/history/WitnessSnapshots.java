package dev.meshguard.history;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent.Witnessed;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The snapshots of witnesses, and the buffers for which they are evidence. */
final class WitnessSnapshots {

    private final Meshes meshes;
    private final Devices devices;
    private final List<Witnessed> all = new ArrayList<>();
    /** The snapshots of each open period of a mesh: they do not concern buffers of other meshes. */
    private final Map<MeshOpenPeriod, List<Witnessed>> ofMeshes = new HashMap<>(0);

    WitnessSnapshots(Meshes meshes, Devices devices) {
        this.meshes = meshes;
        this.devices = devices;
    }

    void add(Witnessed snapshot) {
        all.add(snapshot);
        for (int device : snapshot.snapshot().devices()) {
            List<Witnessed> ofMesh =
                    ofMeshes.computeIfAbsent(openPeriod(device, snapshot), unused -> new ArrayList<>(3));
            if (ofMesh.isEmpty() || ofMesh.get(ofMesh.size() - 1).number() != snapshot.number()) {
                ofMesh.add(snapshot);
            }
        }
    }

    /** Returns every snapshot, oldest first. */
    List<Witnessed> all() {
        return Collections.unmodifiableList(all);
    }

    /** Returns whether a report of the buffer was open at a snapshot of the allocator that reserved it. */
    boolean explains(BufferGeneration buffer, Witnessed snapshot) {
        if (buffer.allocatedAt() > snapshot.number()) {
            return false;
        }
        for (BufferGeneration.Report report : buffer.reports()) {
            if (wasOpenAt(report, snapshot.number()) && mayBeOfItsAllocator(buffer, snapshot)) {
                boolean namesMesh = report.details().mesh().isPresent();
                if (namesMesh ? isOfItsMesh(snapshot, buffer) : isOfItsDevice(snapshot, buffer)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The allocators know no circular buffers, but a buffer may share the address of one. */
    private static boolean wasOpenAt(BufferGeneration.Report report, long event) {
        return report.details().kind() == BufferKind.BUFFER && report.wasOpenAt(event);
    }

    /**
     * Returns the snapshot that is evidence for a buffer at a moment.
     *
     * <p>For the buffer of a mesh, only snapshots of that mesh are evidence.
     *
     * @param isInconclusive whether the verdict is anyway: the reports of the meshes over the device cannot be distinguished
     */
    Optional<Witnessed> snapshotFor(BufferGeneration buffer, Moment moment, boolean isInconclusive) {
        long since = buffer.lastOpenReportAt().orElse(buffer.allocatedAt());
        if (buffer.mesh().isPresent()) {
            return firstOf(covering(buffer, moment, since).filter(snapshot -> isOfItsMesh(snapshot, buffer)), buffer);
        }
        if (buffer.isOfItsDevice()) {
            // Its allocator ends with the last mesh over the device, and snapshots of all meshes before may cover it.
            return covering(buffer, moment, since)
                    .filter(snapshot -> isOfItsDevice(snapshot, buffer))
                    .reduce((earlier, later) -> later);
        }
        List<MeshOpenPeriod> allocatingMeshes = possibleMeshes(buffer);
        if (allocatingMeshes.size() > 1) {
            return snapshotOfAny(allocatingMeshes, buffer, moment, isInconclusive);
        }
        return firstOf(
                covering(buffer, moment, since)
                        .filter(snapshot -> isOfItsDevice(snapshot, buffer))
                        .filter(snapshot -> allocatingMeshes.isEmpty() || !isOfLaterMesh(snapshot, buffer, since)),
                buffer);
    }

    /** Returns whether a buffer was free when the close of its allocator began, which knows no circular buffer. */
    boolean listsAsFree(BufferGeneration buffer) {
        return buffer.kind() == BufferKind.BUFFER
                && snapshotFor(buffer, Moment.CLOSE_BEGUN, false)
                        .filter(snapshot -> stateOf(buffer, snapshot) == AddressState.FREE)
                        .isPresent();
    }

    /**
     * Returns a snapshot for a buffer whose allocator is unknown: it is free only if all allocators that were read at
     * that close list it as free.
     */
    private static Optional<Witnessed> firstOf(Stream<Witnessed> snapshots, BufferGeneration buffer) {
        if (buffer.allocator().isPresent()) {
            return snapshots.findFirst();
        }
        List<Witnessed> all = snapshots.toList();
        return all.stream()
                .filter(snapshot ->
                        snapshot.snapshot().mesh() == all.get(0).snapshot().mesh())
                .filter(snapshot -> stateOf(buffer, snapshot) == AddressState.ALLOCATED)
                .findFirst()
                .or(() -> all.stream().findFirst());
    }

    /**
     * Returns a snapshot for a buffer that several meshes may have allocated.
     *
     * <p>One that lists it as allocated is enough, and it is free only if all list it as free. Their reports at the
     * address cannot be distinguished, so snapshots count from the first report on.
     */
    private Optional<Witnessed> snapshotOfAny(
            List<MeshOpenPeriod> allocatingMeshes, BufferGeneration buffer, Moment moment, boolean isInconclusive) {
        long since = buffer.allocatedAt();
        List<Witnessed> theirs = covering(buffer, moment, since)
                .filter(snapshot -> isOfItsDevice(snapshot, buffer))
                .filter(snapshot -> !isOfLaterMesh(snapshot, buffer, lastReportOf(buffer)))
                .toList();
        boolean allWereRead = theirs.stream()
                .map(snapshot -> meshOver(buffer.device(), snapshot))
                .toList()
                .containsAll(allocatingMeshes);
        return theirs.stream()
                .filter(snapshot -> stateOf(buffer, snapshot) == AddressState.ALLOCATED)
                .findFirst()
                .or(() -> theirs.stream().findFirst().filter(unused -> allWereRead || isInconclusive));
    }

    /** The meshes that were open over the device at a report of the buffer. */
    private List<MeshOpenPeriod> possibleMeshes(BufferGeneration buffer) {
        return meshes.all().stream()
                .filter(mesh -> mesh.liesOver(buffer.device()))
                .filter(mesh -> buffer.reports().stream().anyMatch(report -> mesh.wasOpenAt(report.allocatedAt())))
                .toList();
    }

    private Stream<Witnessed> covering(BufferGeneration buffer, Moment moment, long since) {
        MeshOpenPeriod allocatingMesh = buffer.allocatedBy();
        boolean isOfOneMesh = buffer.mesh().isPresent() && allocatingMesh != null && allocatingMesh.isAnnounced();
        return (isOfOneMesh ? ofMeshes.getOrDefault(allocatingMesh, List.of()) : all)
                .stream()
                        .filter(snapshot -> snapshot.number() > since)
                        .filter(snapshot -> snapshot.snapshot().moment() == moment)
                        .filter(snapshot -> mayBeOfItsAllocator(buffer, snapshot))
                        .filter(snapshot -> isEvidence(buffer, snapshot));
    }

    /**
     * An allocator lists as free what other allocators reserved, and everything after its mesh was closed. A device's own
     * allocator belongs to no mesh. No allocator knows a circular buffer, and nothing follows from its state.
     */
    private boolean isEvidence(BufferGeneration buffer, Witnessed event) {
        AddressState state = stateOf(buffer, event);
        Optional<AllocatorId> allocator = event.snapshot().allocator();
        if (state == AddressState.FREE && buffer.kind() == BufferKind.BUFFER) {
            return (allocator.isEmpty() || allocator.equals(buffer.allocator()))
                    && (allocator.equals(Optional.of(AllocatorId.DEVICE)) || isOfItsOpenMesh(buffer, event));
        }
        return state != AddressState.UNKNOWN;
    }

    private boolean isOfItsOpenMesh(BufferGeneration buffer, Witnessed event) {
        int device = buffer.memoryDevices().get(0);
        MeshOpenPeriod mesh = openPeriod(device, event);
        return mesh.mayAllocate(device)
                && (event.snapshot().moment() == Moment.AFTER_WIPE || !mesh.wasClosedBefore(event.number()));
    }

    /** Returns the state of the address of a buffer in a snapshot. Where the devices of its mesh differ, some memory is allocated. */
    static AddressState stateOf(BufferGeneration buffer, Witnessed snapshot) {
        AddressState common = null;
        for (int device : buffer.memoryDevices()) {
            AddressState state = snapshot.snapshot().stateOf(device, buffer.type(), buffer.address());
            if (common != null && common != state) {
                return AddressState.ALLOCATED;
            }
            common = state;
        }
        return common == null ? AddressState.UNKNOWN : common;
    }

    private static boolean mayBeOfItsAllocator(BufferGeneration buffer, Witnessed snapshot) {
        return AllocatorId.mayBeOne(buffer.allocator(), snapshot.snapshot().allocator());
    }

    private static long lastReportOf(BufferGeneration buffer) {
        return buffer.reports().get(buffer.reports().size() - 1).allocatedAt();
    }

    private boolean isOfLaterMesh(Witnessed snapshot, BufferGeneration buffer, long event) {
        MeshOpenPeriod mesh = meshOver(buffer.device(), snapshot);
        return mesh != null && mesh.wasOpenedAfter(event);
    }

    /** Compares by number for a mesh that buffers name before it is opened. */
    private boolean isOfItsMesh(Witnessed snapshot, BufferGeneration buffer) {
        MeshOpenPeriod allocatingMesh = buffer.allocatedBy();
        if (allocatingMesh == null || allocatingMesh.isAnnounced()) {
            return allocatingMesh != null
                    && allocatingMesh == meshOver(buffer.memoryDevices().get(0), snapshot);
        }
        return allocatingMesh.mesh() == snapshot.snapshot().mesh() && isOfItsDevice(snapshot, buffer);
    }

    /** Returns the mesh whose memory on a device a snapshot covers, if it covers any. */
    private @Nullable MeshOpenPeriod meshOver(int device, Witnessed snapshot) {
        return snapshot.snapshot().allocated().containsKey(device) ? openPeriod(device, snapshot) : null;
    }

    private MeshOpenPeriod openPeriod(int device, Witnessed snapshot) {
        long event = snapshot.number();
        return meshes.openPeriod(
                snapshot.snapshot().mesh(),
                device,
                devices.openPeriodsOf(device).at(event),
                event);
    }

    /** After the close of a device, memory that a snapshot lists as free may be that of a leak. */
    private boolean isOfItsDevice(Witnessed snapshot, BufferGeneration buffer) {
        DeviceOpenPeriods openPeriods = devices.openPeriodsOf(buffer.device());
        return openPeriods.at(snapshot.number()) == buffer.openPeriod()
                && (!openPeriods.wasClosedAt(snapshot.number()) || stateOf(buffer, snapshot) == AddressState.ALLOCATED);
    }
}
