package dev.meshguard.history;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.event.WitnessSnapshot.Moment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The snapshots of witnesses, and the buffers for which they are evidence. */
final class WitnessSnapshots {

    /**
     * A snapshot, and the open periods of devices and meshes at that moment.
     *
     * @param whole the open period of the mesh over all devices of the snapshot, if its opening was reported
     * @param distinctMeshes if there is no such mesh, the mesh on each device
     */
    private record Snapshot(
            HistoryEvent.Witnessed event,
            DeviceOpenPeriods devices,
            @Nullable MeshOpenPeriod whole,
            Map<Integer, MeshOpenPeriod> distinctMeshes) {

        private AddressState stateOf(BufferGeneration buffer) {
            return event.snapshot().stateOf(buffer.device(), buffer.type(), buffer.address());
        }

        private int mesh() {
            return event.snapshot().mesh();
        }

        private int openPeriodOf(int device) {
            return devices.at(device, event.number());
        }

        private @Nullable MeshOpenPeriod meshOver(int device) {
            if (whole == null) {
                return distinctMeshes.get(device);
            }
            return event.snapshot().devices().contains(device) ? whole : null;
        }
    }

    private final Meshes meshes;
    private final List<Snapshot> all = new ArrayList<>();
    /** The snapshots of each open period of a mesh: they do not concern buffers of other meshes. */
    private final Map<MeshOpenPeriod, List<Snapshot>> ofMeshes = new HashMap<>(0);

    WitnessSnapshots(Meshes meshes) {
        this.meshes = meshes;
    }

    void add(HistoryEvent.Witnessed event, DeviceOpenPeriods devices) {
        WitnessSnapshot snapshot = event.snapshot();
        MeshOpenPeriod whole = meshes.latestOverAll(snapshot.mesh(), snapshot.devices());
        Map<Integer, MeshOpenPeriod> distinctMeshes = whole == null ? meshOpenPeriods(snapshot, devices) : Map.of();
        Snapshot read = new Snapshot(event, devices, whole, distinctMeshes);
        all.add(read);
        Set<MeshOpenPeriod> meshesRead = whole == null ? new HashSet<>(distinctMeshes.values()) : Set.of(whole);
        meshesRead.forEach(mesh ->
                ofMeshes.computeIfAbsent(mesh, unused -> new ArrayList<>()).add(read));
    }

    private Map<Integer, MeshOpenPeriod> meshOpenPeriods(WitnessSnapshot snapshot, DeviceOpenPeriods devices) {
        Map<Integer, MeshOpenPeriod> openPeriods = new HashMap<>();
        for (int device : snapshot.devices()) {
            openPeriods.put(device, meshes.openPeriod(snapshot.mesh(), device, devices.now(device)));
        }
        return openPeriods;
    }

    List<HistoryEvent.Witnessed> events() {
        List<HistoryEvent.Witnessed> events = new ArrayList<>(all.size());
        all.forEach(snapshot -> events.add(snapshot.event()));
        return events;
    }

    /** Returns whether a report of the buffer was open at a snapshot of the allocator that reserved it. */
    boolean explains(BufferGeneration buffer, HistoryEvent.Witnessed event) {
        if (buffer.allocatedAt() > event.number()) {
            return false;
        }
        Optional<Snapshot> snapshot = Optional.empty();
        for (BufferGeneration.Report report : buffer.reports()) {
            if (wasOpenAt(report, event.number()) && mayBeOfItsAllocator(buffer, event)) {
                snapshot = snapshot.isPresent() ? snapshot : find(event);
                boolean namesMesh = report.request().details().mesh().isPresent();
                if (snapshot.isPresent()
                        && (namesMesh ? isOfItsMesh(snapshot.get(), buffer) : isOfItsDevice(snapshot.get(), buffer))) {
                    return true;
                }
            }
        }
        return false;
    }

    private Optional<Snapshot> find(HistoryEvent.Witnessed event) {
        int index = firstAfter(event.number() - 1, all);
        return index < all.size() && all.get(index).event().number() == event.number()
                ? Optional.of(all.get(index))
                : Optional.empty();
    }

    /** Returns the index of the first snapshot after an event; snapshots are added in the order of their events. */
    private static int firstAfter(long event, List<Snapshot> snapshots) {
        int low = 0;
        int high = snapshots.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (snapshots.get(middle).event().number() > event) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** The allocators know no circular buffers, but a buffer may share the address of one. */
    private static boolean wasOpenAt(BufferGeneration.Report report, long event) {
        return report.request().details().kind() == BufferKind.BUFFER
                && report.allocatedAt() < event
                && report.freedAt().orElse(Long.MAX_VALUE) > event;
    }

    /**
     * Returns the snapshot that is evidence for a buffer at a moment.
     *
     * <p>For the buffer of a mesh, only snapshots of that mesh are evidence.
     *
     * @param isInconclusive whether the verdict is anyway: the reports of the meshes over the device cannot be distinguished
     */
    Optional<HistoryEvent.Witnessed> snapshotFor(BufferGeneration buffer, Moment moment, boolean isInconclusive) {
        if (all.isEmpty()) {
            return Optional.empty();
        }
        long since = buffer.lastOpenReportAt().orElse(buffer.allocatedAt());
        if (buffer.mesh().isPresent()) {
            return firstOf(
                    covering(mayBeOfItsMesh(buffer), buffer, moment, since)
                            .filter(snapshot -> isOfItsMesh(snapshot, buffer)),
                    buffer);
        }
        if (buffer.isOfItsDevice()) {
            // Its allocator ends with the last mesh over the device, and snapshots of all meshes before may cover it.
            return covering(buffer, moment, since)
                    .filter(snapshot -> isOfItsDevice(snapshot, buffer))
                    .reduce((earlier, later) -> later)
                    .map(Snapshot::event);
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

    /**
     * Returns a snapshot for a buffer whose allocator is unknown: it is free only if all allocators that were read at
     * that close list it as free.
     */
    private static Optional<HistoryEvent.Witnessed> firstOf(Stream<Snapshot> snapshots, BufferGeneration buffer) {
        if (buffer.allocator().isPresent()) {
            return snapshots.findFirst().map(Snapshot::event);
        }
        List<Snapshot> all = snapshots.toList();
        return all.stream()
                .filter(snapshot -> snapshot.mesh() == all.get(0).mesh())
                .filter(snapshot -> snapshot.stateOf(buffer) == AddressState.ALLOCATED)
                .findFirst()
                .or(() -> all.stream().findFirst())
                .map(Snapshot::event);
    }

    /**
     * Returns a snapshot for a buffer that several meshes may have allocated.
     *
     * <p>One that lists it as allocated is enough, and it is free only if all list it as free. Their reports at the
     * address cannot be distinguished, so snapshots count from the first report on.
     */
    private Optional<HistoryEvent.Witnessed> snapshotOfAny(
            List<MeshOpenPeriod> allocatingMeshes, BufferGeneration buffer, Moment moment, boolean isInconclusive) {
        long since = buffer.allocatedAt();
        List<Snapshot> theirs = covering(buffer, moment, since)
                .filter(snapshot -> isOfItsDevice(snapshot, buffer))
                .filter(snapshot -> !isOfLaterMesh(snapshot, buffer, lastReportOf(buffer)))
                .toList();
        Optional<Snapshot> allocated = theirs.stream()
                .filter(snapshot -> snapshot.stateOf(buffer) == AddressState.ALLOCATED)
                .findFirst();
        boolean allWereRead = theirs.stream()
                .map(snapshot -> snapshot.meshOver(buffer.device()))
                .toList()
                .containsAll(allocatingMeshes);
        return allocated
                .or(() -> theirs.stream().findFirst().filter(unused -> allWereRead || isInconclusive))
                .map(Snapshot::event);
    }

    /** The meshes that were open over the device at a report of the buffer. */
    private List<MeshOpenPeriod> possibleMeshes(BufferGeneration buffer) {
        return meshes.all().stream()
                .filter(mesh -> mesh.liesOver(buffer.device()))
                .filter(mesh -> buffer.reports().stream().anyMatch(report -> mesh.wasOpenAt(report.allocatedAt())))
                .toList();
    }

    private Stream<Snapshot> covering(BufferGeneration buffer, Moment moment, long since) {
        return covering(all, buffer, moment, since);
    }

    private static Stream<Snapshot> covering(
            List<Snapshot> snapshots, BufferGeneration buffer, Moment moment, long since) {
        return snapshots.subList(firstAfter(since, snapshots), snapshots.size()).stream()
                .filter(snapshot -> snapshot.event().snapshot().moment() == moment)
                .filter(snapshot -> mayBeOfItsAllocator(buffer, snapshot.event()))
                .filter(snapshot -> snapshot.stateOf(buffer) != AddressState.UNKNOWN);
    }

    private List<Snapshot> mayBeOfItsMesh(BufferGeneration buffer) {
        MeshOpenPeriod allocatingMesh = buffer.allocatedBy();
        return allocatingMesh != null && allocatingMesh.isAnnounced()
                ? ofMeshes.getOrDefault(allocatingMesh, List.of())
                : all;
    }

    private static boolean mayBeOfItsAllocator(BufferGeneration buffer, HistoryEvent.Witnessed event) {
        return AllocatorId.mayBeOne(buffer.allocator(), event.snapshot().allocator());
    }

    private static long lastReportOf(BufferGeneration buffer) {
        return buffer.reports().get(buffer.reports().size() - 1).allocatedAt();
    }

    private static boolean isOfLaterMesh(Snapshot snapshot, BufferGeneration buffer, long event) {
        MeshOpenPeriod mesh = snapshot.meshOver(buffer.device());
        return mesh != null && mesh.wasOpenedAfter(event);
    }

    /** Compares by number for a mesh that buffers name before it is opened. */
    private static boolean isOfItsMesh(Snapshot snapshot, BufferGeneration buffer) {
        MeshOpenPeriod allocatingMesh = buffer.allocatedBy();
        if (allocatingMesh == null || allocatingMesh.isAnnounced()) {
            return allocatingMesh != null && allocatingMesh == snapshot.meshOver(buffer.device());
        }
        return allocatingMesh.mesh() == snapshot.event().snapshot().mesh() && isOfItsDevice(snapshot, buffer);
    }

    private static boolean isOfItsDevice(Snapshot snapshot, BufferGeneration buffer) {
        return snapshot.openPeriodOf(buffer.device()) == buffer.openPeriod();
    }
}
