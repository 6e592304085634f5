package dev.meshguard.tracker.history;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
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

/** The readings of witnesses, and which of them may stateOf for a buffer. */
final class Readings {

    /**
     * A reading, and the lives in which devices and meshes were when it was taken.
     *
     * @param whole the life of the mesh that lies over all devices that were read, as that of a mesh that was opened does
     * @param distinctMeshes where there is no such mesh, the one that is meant on each device
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
    /** Those of each opening of a mesh: a buffer of one of many meshes is no matter of the others. */
    private final Map<MeshOpenPeriod, List<Reading>> ofMeshes = new HashMap<>(0);

    Readings(Meshes meshes) {
        this.meshes = meshes;
    }

    void add(HistoryEvent.Witnessed event, DeviceOpenPeriods devices) {
        WitnessSnapshot reading = event.snapshot();
        MeshOpenPeriod whole = meshes.latestOverAll(reading.mesh(), reading.devices());
        Map<Integer, MeshOpenPeriod> apart = whole == null ? meshOpenPeriods(reading, devices) : Map.of();
        Reading read = new Reading(event, devices, whole, apart);
        all.add(read);
        Set<MeshOpenPeriod> meshesRead = whole == null ? new HashSet<>(apart.values()) : Set.of(whole);
        meshesRead.forEach(mesh ->
                ofMeshes.computeIfAbsent(mesh, unused -> new ArrayList<>()).add(read));
    }

    private Map<Integer, MeshOpenPeriod> meshOpenPeriods(WitnessSnapshot reading, DeviceOpenPeriods devices) {
        Map<Integer, MeshOpenPeriod> meshLives = new HashMap<>();
        for (int device : reading.devices()) {
            meshLives.put(device, meshes.openPeriod(reading.mesh(), device, devices.now(device)));
        }
        return meshLives;
    }

    List<HistoryEvent.Witnessed> events() {
        List<HistoryEvent.Witnessed> events = new ArrayList<>(all.size());
        all.forEach(reading -> events.add(reading.event()));
        return events;
    }

    /** Returns whether a report of the buffer was open when a witness was read, and what was read is the allocator that lent it. */
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
        int place = firstAfter(event.number() - 1, all);
        return place < all.size() && all.get(place).event().number() == event.number()
                ? Optional.of(all.get(place))
                : Optional.empty();
    }

    /** Returns the place of the first reading after an event; readings are added in the order of their events. */
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

    /** The allocator knows no circular buffers, but a buffer may lie where one does. */
    private static boolean wasOpenAt(BufferGeneration.Report report, long event) {
        return report.request().details().kind() == BufferKind.BUFFER
                && report.allocatedAt() < event
                && report.freedAt().orElse(Long.MAX_VALUE) > event;
    }

    /**
     * Returns the reading that may stateOf for a buffer at a moment.
     *
     * <p>The buffer of a mesh is known to the witness of that mesh only.
     *
     * @param doubted whether the verdict says anyway that the reports of the device's meshes cannot be told apart
     */
    Optional<HistoryEvent.Witnessed> readingFor(BufferGeneration buffer, Moment moment, boolean doubted) {
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
            return firstOf(covering(buffer, moment, since).filter(reading -> isOfItsDevice(reading, buffer)), buffer);
        }
        List<MeshOpenPeriod> lenders = possibleLenders(buffer);
        if (lenders.size() > 1) {
            return readingOfAny(lenders, buffer, moment, doubted);
        }
        return firstOf(
                covering(buffer, moment, since)
                        .filter(reading -> isOfItsDevice(reading, buffer))
                        .filter(reading -> lenders.isEmpty() || !isOfLaterMesh(reading, buffer, since)),
                buffer);
    }

    /**
     * Of a buffer whose allocator is not known, every allocator that was read at that close may be the one: it is free if all call
     * it so.
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
     * Of several meshes that may have lent a buffer, one that calls it taken speaks for it, and it is free if all call it so.
     * What each of them reported at that address cannot be told apart, so each is asked from the first report on.
     */
    private Optional<HistoryEvent.Witnessed> readingOfAny(
            List<MeshOpenPeriod> lenders, BufferGeneration buffer, Moment moment, boolean doubted) {
        long born = buffer.allocatedAt();
        List<Reading> theirs = covering(buffer, moment, born)
                .filter(reading -> isOfItsDevice(reading, buffer))
                .filter(reading -> !isOfLaterMesh(reading, buffer, lastReportOf(buffer)))
                .toList();
        Optional<Reading> taken = theirs.stream()
                .filter(reading -> reading.stateOf(buffer) == AddressState.ALLOCATED)
                .findFirst();
        boolean allWereRead = theirs.stream()
                .map(reading -> reading.meshOver(buffer.device()))
                .toList()
                .containsAll(lenders);
        return taken.or(() -> theirs.stream().findFirst().filter(unused -> allWereRead || doubted))
                .map(Reading::event);
    }

    /** The meshes that were open over the device at a report of the buffer. */
    private List<MeshOpenPeriod> possibleLenders(BufferGeneration buffer) {
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
        MeshOpenPeriod lender = buffer.allocatedBy();
        return lender != null && lender.isAnnounced() ? ofMeshes.getOrDefault(lender, List.of()) : all;
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

    /** A mesh that buffers name before it is opened is told by its number. */
    private static boolean isOfItsMesh(Reading reading, BufferGeneration buffer) {
        MeshOpenPeriod lender = buffer.allocatedBy();
        if (lender == null || lender.isAnnounced()) {
            return lender != null && lender == reading.meshOver(buffer.device());
        }
        return lender.mesh() == reading.event().snapshot().mesh() && isOfItsDevice(reading, buffer);
    }

    private static boolean isOfItsDevice(Reading reading, BufferGeneration buffer) {
        return reading.openPeriodOf(buffer.device()) == buffer.openPeriod();
    }
}
