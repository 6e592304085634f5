package dev.meshguard.tracker.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
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

/** The meshes of a history: which were open when, and which one a report means. */
final class Meshes {

    private static final int ANSWERS = 64;
    private static final @Nullable MeshOpenPeriod[] NO_ANSWERS = {};

    private record Unannounced(int mesh, int device, int deviceOpenPeriod) {}

    private final List<MeshOpenPeriod> all = new ArrayList<>();
    private final List<MeshOpenPeriod> open = new ArrayList<>();
    /** The latest life under each number; it knows the one before it. */
    private final Map<Integer, MeshOpenPeriod> latest = new HashMap<>();

    private final Map<Unannounced, MeshOpenPeriod> unannounced = new HashMap<>();
    private boolean sharedADevice;

    /** The last answers, by device: nearly every report asks again what the one before it on that device asked. */
    private @Nullable MeshOpenPeriod[] answers = NO_ANSWERS;

    private int[] answeredFor = {};

    void opened(HistoryEvent.MeshOpened event) {
        MeshOpenPeriod life =
                MeshOpenPeriod.opened(event, latest.get(event.mesh().id()));
        answers = NO_ANSWERS;
        if (!open.isEmpty() && !sharedADevice) {
            sharedADevice = event.mesh().devices().stream().anyMatch(this::isAnyOpenOver);
        }
        latest.put(life.mesh(), life);
        all.add(life);
        open.add(life);
    }

    /** Begins the close of a mesh, if it is open. */
    void closing(int mesh, long event) {
        for (MeshOpenPeriod life : open) {
            if (life.mesh() == mesh) {
                life.beginClose(event);
            }
        }
    }

    /** Returns when the close of a mesh began that is closing and lies over a device, or else the given event. */
    long closingOver(int device, long event) {
        long began = event;
        for (MeshOpenPeriod life : open) {
            if (life.liesOver(device)) {
                began = Math.min(began, life.closingAt());
            }
        }
        return began;
    }

    /** Closes a mesh and returns its life, if it was open. */
    @Nullable
    MeshOpenPeriod closed(HistoryEvent.MeshClosed event) {
        for (int i = open.size() - 1; i >= 0; i--) {
            MeshOpenPeriod life = open.get(i);
            if (life.mesh() == event.mesh()) {
                life.close(event.number());
                return open.remove(i);
            }
        }
        return null;
    }

    /** Returns whose allocator lent what a report with these details is about, if they say so. */
    @Nullable
    MeshOpenPeriod allocatorOf(AllocationDetails details, int device, int deviceLife) {
        return details.mesh().isPresent() ? openPeriod(details.mesh().getAsInt(), device, deviceLife) : null;
    }

    /**
     * Returns the latest life of a mesh over a device; else its latest anywhere, because some runtimes report what belongs to
     * a whole mesh under a device that is none of its own.
     */
    MeshOpenPeriod openPeriod(int mesh, int device, int deviceLife) {
        if (device < 0 || device >= ANSWERS) {
            return find(mesh, device, deviceLife);
        }
        if (answers.length == 0) {
            answers = new @Nullable MeshOpenPeriod[ANSWERS];
            answeredFor = new int[ANSWERS];
        }
        MeshOpenPeriod answer = answers[device];
        if (answer == null || answer.mesh() != mesh || answeredFor[device] != deviceLife) {
            answer = find(mesh, device, deviceLife);
            answers[device] = answer;
            answeredFor[device] = deviceLife;
        }
        return answer;
    }

    /** Returns the latest life of a mesh if it lies over all of some devices. */
    @Nullable
    MeshOpenPeriod latestOverAll(int mesh, List<Integer> devices) {
        MeshOpenPeriod life = latest.get(mesh);
        return life != null && life.liesOverAll(devices) ? life : null;
    }

    private MeshOpenPeriod find(int mesh, int device, int deviceLife) {
        MeshOpenPeriod last = latest.get(mesh);
        MeshOpenPeriod life = last;
        while (life != null && !life.liesOver(device)) {
            life = life.before();
        }
        life = life == null ? last : life;
        return life != null
                ? life
                : unannounced.computeIfAbsent(
                        new Unannounced(mesh, device, deviceLife), key -> MeshOpenPeriod.unannounced(key.mesh()));
    }

    boolean isAnyOpenOver(int device) {
        for (MeshOpenPeriod life : open) {
            if (life.liesOver(device)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether two meshes were ever open over one device at a time. */
    boolean sharedADevice() {
        return sharedADevice;
    }

    /** Returns every life, in the order of the openings. */
    List<MeshOpenPeriod> all() {
        return Collections.unmodifiableList(all);
    }

    /** Returns the lives that have not ended, in the order of the openings. */
    List<MeshOpenPeriod> open() {
        return Collections.unmodifiableList(open);
    }

    /**
     * Returns whether all buffers that were ever reported on a device say which mesh lent them, so that two meshes may have
     * it open: each is one that was opened over the device, and no two go by one number at a time. Where nothing was
     * reported on it, what the source does elsewhere counts.
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
