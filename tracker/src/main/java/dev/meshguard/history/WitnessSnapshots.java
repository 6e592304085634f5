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
    private record Reading(
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
    private final List<Reading> all = new ArrayList<>();
    /** The snapshots of each open period of a mesh: they do not concern buffers of other meshes. */
    private final Map<MeshOpenPeriod, List<Reading>> ofMeshes = new HashMap<>(0);

    WitnessSnapshots(Meshes meshes) {
        this.meshes = meshes;
    }

    void add(HistoryEvent.Witnessed event, DeviceOpenPeriods devices) {
        WitnessSnapshot reading = event.snapshot();
        MeshOpenPeriod whole = meshes.latestOverAll(reading.mesh(), reading.devices());
        Map<Integer, MeshOpenPeriod> distinctMeshes = whole == null ? meshOpenPeriods(reading, devices) : Map.of();
        Reading read = new Reading(event, devices, whole, distinctMeshes);
        all.add(read);
        Set<MeshOpenPeriod> meshesRead = whole == null ? new HashSet<>(distinctMeshes.values()) : Set.of(whole);
        meshesRead.forEach(mesh ->
                ofMeshes.computeIfAbsent(mesh, unused -> new ArrayList<>()).add(read));
    }

    private Map<Integer, MeshOpenPeriod> meshOpenPeriods(WitnessSnapshot reading, DeviceOpenPeriods devices) {
        Map<Integer, MeshOpenPeriod> openPeriods = new HashMap<>();
        for (int device : reading.devices()) {
            openPeriods.put(device, meshes.openPeriod(reading.mesh(), device, devices.now(device)));
        }
        return openPeriods;
    }

    List<HistoryEvent.Witnessed> events() {
        List<HistoryEvent.Witnessed> events = new ArrayList<>(all.size());
        all.forEach(reading -> events.add(reading.event()));
        return events;
    }

    /** Returns whether a report of the buffer was open at a snapshot of the allocator that reserved it. */
    boolean explains(BufferGeneration buffer, HistoryEvent.Witnessed event) {
        if (buffer.allocatedAt() > event.number()) {
            return false;
        }
        Optional<Reading> reading = Optional.empty();
        for (BufferGeneration.Report report : buffer.reports()) {
            if (wasOpenAt(report, event.number()) && mayBeOfItsAllocator(buffer, event)) {
                reading = reading.isPresent() ? reading : reading(event);
                boolean saysWhose = report.request().details().mesh().isPresent();
                if (reading.isPresent()
                        && (saysWhose ? isOfItsMesh(reading.get(), buffer) : isOfItsDevice(reading.get(), buffer))) {
                    return true;
                }
            }
        }
        return false;
    }

    private Optional<Reading> reading(HistoryEvent.Witnessed event) {
        int index = firstAfter(event.number() - 1, all);
        return index < all.size() && all.get(index).event().number() == event.number()
                ? Optional.of(all.get(index))
                : Optional.empty();
    }

    /** Returns the index of the first snapshot after an event; snapshots are added in the order of their events. */
    private static int firstAfter(long event, List<Reading> readings) {
        int low = 0;
        int high = readings.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (readings.get(middle).event().number() > event) {
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
     * @param doubted whether the verdict reports anyway that the reports of the device's meshes cannot be distinguished
     */
    Optional<HistoryEvent.Witnessed> snapshotFor(BufferGeneration buffer, Moment moment, boolean doubted) {
        if (all.isEmpty()) {
            return Optional.empty();
        }
        long since = buffer.lastOpenReportAt().orElse(buffer.allocatedAt());
        if (buffer.mesh().isPresent()) {
            return firstOf(
                    covering(mayBeOfItsMesh(buffer), buffer, moment, since)
                            .filter(reading -> isOfItsMesh(reading, buffer)),
                    buffer);
        }
        if (buffer.isOfItsDevice()) {
            // Its allocator ends with the last mesh over the device, and snapshots of all meshes before may cover it.
            return covering(buffer, moment, since)
                    .filter(reading -> isOfItsDevice(reading, buffer))
                    .reduce((earlier, later) -> later)
                    .map(Reading::event);
        }
        List<MeshOpenPeriod> allocatingMeshes = possibleMeshes(buffer);
        if (allocatingMeshes.size() > 1) {
            return readingOfAny(allocatingMeshes, buffer, moment, doubted);
        }
        return firstOf(
                covering(buffer, moment, since)
                        .filter(reading -> isOfItsDevice(reading, buffer))
                        .filter(reading -> allocatingMeshes.isEmpty() || !isOfLaterMesh(reading, buffer, since)),
                buffer);
    }

    /**
     * Returns a snapshot for a buffer whose allocator is unknown: it is free only if all allocators that were read at
     * that close list it as free.
     */
    private static Optional<HistoryEvent.Witnessed> firstOf(Stream<Reading> readings, BufferGeneration buffer) {
        if (buffer.allocator().isPresent()) {
            return readings.findFirst().map(Reading::event);
        }
        List<Reading> all = readings.toList();
        return all.stream()
                .filter(reading -> reading.mesh() == all.get(0).mesh())
                .filter(reading -> reading.stateOf(buffer) == AddressState.ALLOCATED)
                .findFirst()
                .or(() -> all.stream().findFirst())
                .map(Reading::event);
    }

    /**
     * Returns a snapshot for a buffer that several meshes may have allocated.
     *
     * <p>One that lists it as allocated is enough, and it is free only if all list it as free. Their reports at the
     * address cannot be distinguished, so snapshots count from the first report on.
     */
    private Optional<HistoryEvent.Witnessed> readingOfAny(
            List<MeshOpenPeriod> allocatingMeshes, BufferGeneration buffer, Moment moment, boolean doubted) {
        long since = buffer.allocatedAt();
        List<Reading> theirs = covering(buffer, moment, since)
                .filter(reading -> isOfItsDevice(reading, buffer))
                .filter(reading -> !isOfLaterMesh(reading, buffer, lastReportOf(buffer)))
                .toList();
        Optional<Reading> allocated = theirs.stream()
                .filter(reading -> reading.stateOf(buffer) == AddressState.ALLOCATED)
                .findFirst();
        boolean allWereRead = theirs.stream()
                .map(reading -> reading.meshOver(buffer.device()))
                .toList()
                .containsAll(allocatingMeshes);
        return allocated
                .or(() -> theirs.stream().findFirst().filter(unused -> allWereRead || doubted))
                .map(Reading::event);
    }

    /** The meshes that were open over the device at a report of the buffer. */
    private List<MeshOpenPeriod> possibleMeshes(BufferGeneration buffer) {
        return meshes.all().stream()
                .filter(mesh -> mesh.liesOver(buffer.device()))
                .filter(mesh -> buffer.reports().stream().anyMatch(report -> mesh.wasOpenAt(report.allocatedAt())))
                .toList();
    }

    private Stream<Reading> covering(BufferGeneration buffer, Moment moment, long since) {
        return covering(all, buffer, moment, since);
    }

    private static Stream<Reading> covering(
            List<Reading> readings, BufferGeneration buffer, Moment moment, long since) {
        return readings.subList(firstAfter(since, readings), readings.size()).stream()
                .filter(reading -> reading.event().snapshot().moment() == moment)
                .filter(reading -> mayBeOfItsAllocator(buffer, reading.event()))
                .filter(reading -> reading.stateOf(buffer) != AddressState.UNKNOWN);
    }

    private List<Reading> mayBeOfItsMesh(BufferGeneration buffer) {
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

    private static boolean isOfLaterMesh(Reading reading, BufferGeneration buffer, long event) {
        MeshOpenPeriod mesh = reading.meshOver(buffer.device());
        return mesh != null && mesh.wasOpenedAfter(event);
    }

    /** Compares by number for a mesh that buffers name before it is opened. */
    private static boolean isOfItsMesh(Reading reading, BufferGeneration buffer) {
        MeshOpenPeriod allocatingMesh = buffer.allocatedBy();
        if (allocatingMesh == null || allocatingMesh.isAnnounced()) {
            return allocatingMesh != null && allocatingMesh == reading.meshOver(buffer.device());
        }
        return allocatingMesh.mesh() == reading.event().snapshot().mesh() && isOfItsDevice(reading, buffer);
    }

    private static boolean isOfItsDevice(Reading reading, BufferGeneration buffer) {
        return reading.openPeriodOf(buffer.device()) == buffer.openPeriod();
    }
}
