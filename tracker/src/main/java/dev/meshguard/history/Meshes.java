package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
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

    private static final int ANSWERS = 64;
    private static final @Nullable MeshOpenPeriod[] NO_ANSWERS = {};

    private record Unannounced(int mesh, int device, int deviceOpenPeriod) {}

    private final List<MeshOpenPeriod> all = new ArrayList<>();
    private final List<MeshOpenPeriod> open = new ArrayList<>();
    /** The latest open period of each number; it refers to the one before it. */
    private final Map<Integer, MeshOpenPeriod> latest = new HashMap<>();

    private final Map<Unannounced, MeshOpenPeriod> unannounced = new HashMap<>();
    private boolean sharedADevice;

    /** The last results, by device: nearly every report asks for the same as the one before it on that device. */
    private @Nullable MeshOpenPeriod[] answers = NO_ANSWERS;

    private int[] answeredFor = {};

    void opened(HistoryEvent.MeshOpened event) {
        MeshOpenPeriod period =
                MeshOpenPeriod.opened(event, latest.get(event.mesh().id()));
        answers = NO_ANSWERS;
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

    /** Returns the mesh whose allocator reserved the memory of a report with these details, if they name it. */
    @Nullable
    MeshOpenPeriod allocatorOf(AllocationDetails details, int device, int devicePeriod) {
        return details.mesh().isPresent() ? openPeriod(details.mesh().getAsInt(), device, devicePeriod) : null;
    }

    /** Returns the mesh that {@link #allocatorOf} returned when an earlier report was read. */
    @Nullable
    MeshOpenPeriod allocatorAt(HistoryEvent.Allocated report, int devicePeriod) {
        AllocationDetails details = report.request().details();
        if (details.mesh().isEmpty()) {
            return null;
        }
        MeshOpenPeriod last = latest.get(details.mesh().getAsInt());
        while (last != null && last.wasOpenedAfter(report.number())) {
            last = last.before();
        }
        return find(details.mesh().getAsInt(), last, report.device(), devicePeriod);
    }

    /**
     * Returns the latest open period of a mesh over a device, or else its latest one. Some runtimes report memory of a
     * whole mesh under a device outside it.
     */
    MeshOpenPeriod openPeriod(int mesh, int device, int devicePeriod) {
        if (device < 0 || device >= ANSWERS) {
            return find(mesh, latest.get(mesh), device, devicePeriod);
        }
        if (answers.length == 0) {
            answers = new @Nullable MeshOpenPeriod[ANSWERS];
            answeredFor = new int[ANSWERS];
        }
        MeshOpenPeriod answer = answers[device];
        if (answer == null || answer.mesh() != mesh || answeredFor[device] != devicePeriod) {
            answer = find(mesh, latest.get(mesh), device, devicePeriod);
            answers[device] = answer;
            answeredFor[device] = devicePeriod;
        }
        return answer;
    }

    /** Returns the latest open period of a mesh if it covers all the given devices. */
    @Nullable
    MeshOpenPeriod latestOverAll(int mesh, List<Integer> devices) {
        MeshOpenPeriod period = latest.get(mesh);
        return period != null && period.liesOverAll(devices) ? period : null;
    }

    private MeshOpenPeriod find(int mesh, @Nullable MeshOpenPeriod last, int device, int devicePeriod) {
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
     * <p>Each of these meshes was opened over the device, and no two use one number at a time. For a device without
     * reports, the reports on other devices count.
     */
    static boolean areDistinguishedOn(int device, List<HistoryEvent> events) {
        Set<Integer> opened = new HashSet<>();
        Set<Integer> nowOpen = new HashSet<>();
        boolean anyIsUnnamed = false;
        Set<Integer> named = new HashSet<>();
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.MeshOpened mesh && liesOver(mesh.mesh(), device)) {
                opened.add(mesh.mesh().id());
                if (!nowOpen.add(mesh.mesh().id())) {
                    return false;
                }
            } else if (event instanceof HistoryEvent.MeshClosed mesh) {
                nowOpen.remove(mesh.mesh());
            } else if (event instanceof HistoryEvent.Allocated report
                    && report.request().details().kind() == BufferKind.BUFFER
                    && !isOfADevice(report.request().details())) {
                OptionalInt mesh = report.request().details().mesh();
                anyIsUnnamed |= mesh.isEmpty();
                if (report.device() == device) {
                    if (mesh.isEmpty()) {
                        return false;
                    }
                    named.add(mesh.getAsInt());
                }
            }
        }
        return named.isEmpty() ? !anyIsUnnamed : opened.containsAll(named);
    }

    /** A device has one allocator of its own, whichever meshes use it. */
    private static boolean isOfADevice(AllocationDetails details) {
        return details.allocator().filter(AllocatorId.DEVICE::equals).isPresent();
    }

    private static boolean liesOver(MeshDescription mesh, int device) {
        return mesh.devices().contains(device);
    }
}
