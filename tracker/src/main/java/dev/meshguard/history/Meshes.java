package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The meshes of a history: their open periods, and the mesh of each report. */
final class Meshes {

    /** The number of no mesh. */
    private static final int UNNAMED = Integer.MIN_VALUE;

    private record Unannounced(int mesh, int device, int deviceOpenPeriod) {}

    private final List<MeshOpenPeriod> all = new ArrayList<>();
    private final List<MeshOpenPeriod> open = new ArrayList<>();
    /** The latest open period of each number; it refers to the one before it. */
    private final Map<Integer, MeshOpenPeriod> latest = new HashMap<>();

    private final Map<Unannounced, MeshOpenPeriod> unannounced = new HashMap<>();
    private boolean sharedADevice;

    void opened(HistoryEvent.MeshOpened event) {
        MeshOpenPeriod period =
                MeshOpenPeriod.opened(event, latest.get(event.mesh().id()));
        if (!open.isEmpty() && !sharedADevice) {
            sharedADevice = event.mesh().devices().stream().anyMatch(this::isAnyOpenOver);
        }
        latest.put(period.mesh(), period);
        all.add(period);
        open.add(period);
    }

    /** Begins the close of a mesh, if it is open. */
    void closing(int mesh, long event) {
        for (MeshOpenPeriod period : open) {
            if (period.mesh() == mesh) {
                period.beginClose(event);
            }
        }
    }

    /** Returns when the close of a closing mesh over a device began, or else the given event. */
    long closingOver(int device, long event) {
        long began = event;
        for (MeshOpenPeriod period : open) {
            if (period.closingAt() < began && period.liesOver(device)) {
                began = period.closingAt();
            }
        }
        return began;
    }

    /** Closes a mesh and returns its open period, if it was open. */
    @Nullable
    MeshOpenPeriod closed(HistoryEvent.MeshClosed event) {
        for (int i = open.size() - 1; i >= 0; i--) {
            MeshOpenPeriod period = open.get(i);
            if (period.mesh() == event.mesh()) {
                period.close(event.number());
                return open.remove(i);
            }
        }
        return null;
    }

    /**
     * Returns the mesh whose allocator reserved the memory of a report with these details, if they name it.
     *
     * @param event the number of the report; later openings do not count
     */
    @Nullable
    MeshOpenPeriod allocatorOf(AllocationDetails details, int device, int devicePeriod, long event) {
        return details.mesh().isPresent() ? openPeriod(details.mesh().getAsInt(), device, devicePeriod, event) : null;
    }

    /**
     * Returns the latest open period of a mesh over a device that began before an event, or else its latest one. Some
     * runtimes report memory of a whole mesh under a device outside it.
     */
    MeshOpenPeriod openPeriod(int mesh, int device, int devicePeriod, long event) {
        MeshOpenPeriod last = latest.get(mesh);
        while (last != null && last.wasOpenedAfter(event)) {
            last = last.before();
        }
        MeshOpenPeriod period = last;
        while (period != null && !period.liesOver(device)) {
            period = period.before();
        }
        period = period == null ? last : period;
        return period != null
                ? period
                : unannounced.computeIfAbsent(
                        new Unannounced(mesh, device, devicePeriod), key -> MeshOpenPeriod.unannounced(key.mesh()));
    }

    boolean isAnyOpenOver(int device) {
        for (MeshOpenPeriod period : open) {
            if (period.liesOver(device)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether two meshes were ever open over one device at a time. */
    boolean sharedADevice() {
        return sharedADevice;
    }

    /** Returns every open period, in the order of the openings. */
    List<MeshOpenPeriod> all() {
        return Collections.unmodifiableList(all);
    }

    /** Returns the open periods that have not ended, in the order of the openings. */
    List<MeshOpenPeriod> open() {
        return Collections.unmodifiableList(open);
    }

    /**
     * Returns whether all buffers reported on a device name their mesh, so that two meshes may use it at once.
     *
     * <p>Each of these meshes was opened over the device, and no two use one number at a time, neither before nor after.
     * For a device without reports, the reports on other devices count. A device has one allocator of its own, whichever
     * meshes use it.
     */
    static boolean areDistinguishedOn(int device, List<HistoryEvent> events) {
        boolean anyIsUnnamed = false;
        Set<Integer> named = new HashSet<>();
        Set<Integer> opened = new HashSet<>();
        Set<Integer> nowOpen = new HashSet<>();
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.MeshOpened mesh
                    && mesh.mesh().devices().contains(device)) {
                opened.add(mesh.mesh().id());
                if (!nowOpen.add(mesh.mesh().id())) {
                    return false;
                }
            } else if (event instanceof HistoryEvent.MeshClosed mesh) {
                nowOpen.remove(mesh.mesh());
            } else if (event instanceof HistoryEvent.Allocated report && mayBeOfAMesh(report.details())) {
                OptionalInt mesh = report.details().mesh();
                anyIsUnnamed |= mesh.isEmpty();
                if (report.device() == device) {
                    named.add(mesh.orElse(UNNAMED));
                }
            }
        }
        return named.isEmpty() ? !anyIsUnnamed : opened.containsAll(named);
    }

    /** A device has one allocator of its own, whichever meshes use it. */
    private static boolean mayBeOfAMesh(AllocationDetails details) {
        return details.kind() == BufferKind.BUFFER
                && details.allocator().filter(AllocatorId.DEVICE::equals).isEmpty();
    }
}
