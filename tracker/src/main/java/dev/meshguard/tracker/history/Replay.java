package dev.meshguard.tracker.history;

import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.BufferKind;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.MeshDescription;
import dev.meshguard.tracker.Owner;
import dev.meshguard.tracker.Ownership;
import dev.meshguard.tracker.Phase;
import dev.meshguard.tracker.history.HistoryEvent.OwnerCached;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One pass over the events of a history that turns addresses into lives. */
final class Replay {

    private record Place(int device, BufferType type, long address) {}

    private record Region(int device, BufferType.Memory memory) {}

    /** A witness's reading and the life that each device was in when it was taken. */
    record Reading(HistoryEvent.Witnessed event, Map<Integer, Integer> deviceLives) {}

    /** What became of an owner. */
    static final class OwnerFate {
        @Nullable
        OwnerCached cached;

        OptionalLong endedAt = OptionalLong.empty();
        int ends;
        /** The lives of devices in which it allocated; a name that comes back in another may be another owner's. */
        final Set<Integer> lives = new HashSet<>();
    }

    final List<BufferGeneration> generations = new ArrayList<>();
    final List<Anomaly> anomalies = new ArrayList<>();
    final List<Reading> readings = new ArrayList<>();
    final List<HistoryEvent.PhaseBegan> phases = new ArrayList<>();
    final List<HistoryEvent.ReportsLost> losses = new ArrayList<>();
    final Map<Integer, MeshDescription> meshes = new LinkedHashMap<>();
    final Map<Integer, MeshDescription> openMeshes = new LinkedHashMap<>();
    final List<HistoryEvent.DeviceOpened> openedWhileOpen = new ArrayList<>();
    final Map<Owner, OwnerFate> owners = new HashMap<>();
    final IdentityHashMap<AllocationRequest, List<BufferGeneration>> byRequest = new IdentityHashMap<>();

    private final boolean flatAddresses;
    private final Map<Place, BufferGeneration> latest = new HashMap<>();
    /** Lives that a reopened device left behind, still live in the books, latest last. */
    private final Map<Place, List<BufferGeneration>> leftBehind = new HashMap<>();

    /** Lives whose handle was released after their device was closed. */
    private final Set<BufferGeneration> releasedLate = new HashSet<>();

    private final Map<Region, NavigableMap<Long, BufferGeneration>> liveBuffers = new HashMap<>();
    /** The numbers of the events that began a life of each device. */
    private final Map<Integer, List<Long>> deviceOpenings = new HashMap<>();

    private final Set<Integer> openDevices = new HashSet<>();
    private final Map<Integer, Integer> deviceLives = new HashMap<>();
    private final Map<Integer, Boolean> deviceClosed = new HashMap<>();
    private Phase phase = Phase.START;

    Replay(List<HistoryEvent> events, boolean flatAddresses) {
        this.flatAddresses = flatAddresses;
        events.forEach(this::apply);
    }

    /** What was reported before a device was first opened belongs to its first life. */
    int deviceLifeAt(int device, long number) {
        long openings = deviceOpenings.getOrDefault(device, List.of()).stream()
                .filter(opening -> opening <= number)
                .count();
        return (int) Math.max(1, openings);
    }

    private void apply(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated allocated) {
            allocated(allocated);
        } else if (event instanceof HistoryEvent.Freed freed) {
            freed(freed);
        } else if (event instanceof HistoryEvent.FreeIgnored ignored) {
            ignored(ignored);
        } else if (event instanceof HistoryEvent.PhaseBegan began) {
            phase = began.phase();
            phases.add(began);
        } else if (event instanceof HistoryEvent.MeshOpened opened) {
            meshes.put(opened.mesh().id(), opened.mesh());
            openMeshes.put(opened.mesh().id(), opened.mesh());
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            MeshDescription mesh = openMeshes.remove(closed.mesh());
            if (mesh != null) {
                mesh.devices().forEach(openDevices::remove);
            }
        } else if (event instanceof HistoryEvent.DeviceOpened opened) {
            if (!openDevices.add(opened.device())) {
                openedWhileOpen.add(opened);
            }
            deviceLives.merge(opened.device(), 1, Integer::sum);
            deviceOpenings
                    .computeIfAbsent(opened.device(), unused -> new ArrayList<>())
                    .add(opened.number());
            deviceClosed.put(opened.device(), false);
            for (BufferType.Memory memory : BufferType.Memory.values()) {
                liveBuffers.remove(new Region(opened.device(), memory));
            }
        } else if (event instanceof HistoryEvent.DeviceClosed closed) {
            deviceClosed.put(closed.device(), true);
            openDevices.remove(closed.device());
        } else if (event instanceof HistoryEvent.OwnerCached cached) {
            fate(cached.owner()).cached = cached;
        } else if (event instanceof HistoryEvent.OwnerEnded ended) {
            OwnerFate fate = fate(ended.owner());
            fate.endedAt = OptionalLong.of(ended.number());
            fate.ends++;
        } else if (event instanceof HistoryEvent.Witnessed witnessed) {
            readings.add(new Reading(witnessed, Map.copyOf(deviceLives)));
        } else if (event instanceof HistoryEvent.ReportsLost lost) {
            losses.add(lost);
        }
    }

    private void allocated(HistoryEvent.Allocated report) {
        Place place = new Place(report.device(), report.type(), report.address());
        BufferGeneration holder = latest.get(place);
        int life = deviceLives.getOrDefault(report.device(), 1);
        if (deviceClosed.getOrDefault(report.device(), false)) {
            note(Anomaly.Kind.ALLOCATION_AFTER_CLOSE, report, place, holder);
        }
        if (holder != null && holder.isLive() && holder.deviceLife() == life) {
            if (holder.size() != report.size() && holder.kind() == BufferKind.BUFFER) {
                note(Anomaly.Kind.SIZE_CHANGE, report, place, holder);
            }
        } else {
            if (holder != null && holder.isLive()) {
                leftBehind.computeIfAbsent(place, unused -> new ArrayList<>()).add(holder);
                forgetLive(holder);
            }
            boolean takesMemory = report.request().details().kind() == BufferKind.BUFFER
                    && meetsLiveBuffer(report, place) != Meeting.VIEW;
            int generation = holder == null ? 1 : holder.generation() + 1;
            holder = new BufferGeneration(report.device(), report.type(), report.address(), generation, life, phase);
            latest.put(place, holder);
            generations.add(holder);
            if (takesMemory) {
                region(place).putIfAbsent(report.address(), holder);
            }
        }
        holder.report(report.number(), report.request(), report.size(), report.ownership());
        report.request().details().owner().ifPresent(owner -> fate(owner).lives.add(life));
        if (report.request().isAnonymous()) {
            return;
        }
        List<BufferGeneration> siblings = byRequest.computeIfAbsent(report.request(), unused -> new ArrayList<>());
        if (siblings.isEmpty() || siblings.get(siblings.size() - 1) != holder) {
            siblings.add(holder);
        }
    }

    private void freed(HistoryEvent.Freed report) {
        Place place = new Place(report.device(), report.type(), report.address());
        BufferGeneration holder = latest.get(place);
        if (holder == null) {
            note(Anomaly.Kind.UNKNOWN_FREE, report, place, null);
            return;
        }
        if (!holder.isLive()) {
            BufferGeneration older = lastLeftBehind(place);
            if (older == null) {
                note(Anomaly.Kind.DOUBLE_FREE, report, place, holder);
                return;
            }
            holder = older;
        }
        if (deviceClosed.getOrDefault(report.device(), false) && holder.kind() == BufferKind.BUFFER) {
            note(Anomaly.Kind.FREE_REPORTED_AFTER_CLOSE, report, place, holder);
        }
        holder.free(report.number(), report.request(), report.ownership());
        if (!holder.isLive()) {
            forgetLive(holder);
            leftBehind.getOrDefault(place, new ArrayList<>()).remove(holder);
        }
    }

    private void ignored(HistoryEvent.FreeIgnored report) {
        Place place = new Place(report.device(), report.type(), report.address());
        switch (report.reason()) {
            case ALREADY_FREED -> note(Anomaly.Kind.IGNORED_DOUBLE_FREE, report, place, latest.get(place));
            case UNKNOWN_ADDRESS -> note(Anomaly.Kind.IGNORED_UNKNOWN_FREE, report, place, latest.get(place));
            case DEVICE_CLOSED -> note(Anomaly.Kind.FREE_AFTER_CLOSE, report, place, releasedAt(place));
            case STILL_SHARED -> {
                // It fits what is known: that one handle of several frees nothing is how it should be.
            }
        }
    }

    /**
     * A handle of a closed device is older than the device's present life, whoever lives at its address now. It speaks
     * for one life that no other handle spoke for; where several are left, nobody can tell which.
     */
    private @Nullable BufferGeneration releasedAt(Place place) {
        BufferGeneration last = latest.get(place);
        List<BufferGeneration> over = new ArrayList<>(leftBehind.getOrDefault(place, List.of()));
        if (last != null && !isOfReopenedDevice(last)) {
            over.add(last);
        }
        List<BufferGeneration> unclaimed = over.stream()
                .filter(BufferGeneration::isLive)
                .filter(life -> !releasedLate.contains(life))
                .toList();
        if (unclaimed.size() == 1) {
            releasedLate.add(unclaimed.get(0));
            return unclaimed.get(0);
        }
        return unclaimed.isEmpty() && !over.isEmpty() ? over.get(over.size() - 1) : null;
    }

    private boolean isOfReopenedDevice(BufferGeneration holder) {
        return holder.deviceLife() > 1
                && holder.deviceLife() == deviceLives.getOrDefault(holder.device(), 1)
                && !deviceClosed.getOrDefault(holder.device(), false);
    }

    private @Nullable BufferGeneration lastLeftBehind(Place place) {
        List<BufferGeneration> older = leftBehind.getOrDefault(place, List.of());
        return older.isEmpty() ? null : older.get(older.size() - 1);
    }

    /** How a new buffer lies to the live ones. */
    private enum Meeting {
        NONE,
        VIEW,
        NOTED
    }

    /**
     * A buffer that lies inside what it points to is a view; everything else that meets a live buffer is noted. Views
     * are not looked for later: who meets one meets what it points to.
     */
    private Meeting meetsLiveBuffer(HistoryEvent.Allocated report, Place place) {
        NavigableMap<Long, BufferGeneration> live = region(place);
        Map.Entry<Long, BufferGeneration> below = live.floorEntry(report.address());
        long start = report.address();
        long end = start + extent(report.request(), report.size());
        if (below != null && below.getKey() == start) {
            note(Anomaly.Kind.TYPE_CHANGE, report, place, below.getValue());
            return Meeting.NOTED;
        }
        if (below != null && endOf(below.getValue()) > start) {
            if (report.ownership() == Ownership.NON_OWNING && endOf(below.getValue()) >= end) {
                return Meeting.VIEW;
            }
            note(Anomaly.Kind.OVERLAP, report, place, below.getValue());
            return Meeting.NOTED;
        }
        Map.Entry<Long, BufferGeneration> above = live.higherEntry(start);
        if (above != null && above.getKey() < end) {
            note(Anomaly.Kind.OVERLAP, report, place, above.getValue());
            return Meeting.NOTED;
        }
        return Meeting.NONE;
    }

    private long endOf(BufferGeneration buffer) {
        return buffer.address() + extent(buffer.request(), buffer.size());
    }

    /** A plain size says nothing of one bank when the memory is spread over banks. */
    private long extent(AllocationRequest request, long size) {
        return request.details().extent().orElse(flatAddresses ? size : 0);
    }

    private void forgetLive(BufferGeneration buffer) {
        liveBuffers
                .getOrDefault(new Region(buffer.device(), buffer.type().memory()), new TreeMap<>())
                .remove(buffer.address(), buffer);
    }

    private NavigableMap<Long, BufferGeneration> region(Place place) {
        return liveBuffers.computeIfAbsent(
                new Region(place.device(), place.type().memory()), unused -> new TreeMap<>());
    }

    private OwnerFate fate(Owner owner) {
        return owners.computeIfAbsent(owner, unused -> new OwnerFate());
    }

    private void note(Anomaly.Kind kind, HistoryEvent report, Place place, @Nullable BufferGeneration holder) {
        anomalies.add(
                new Anomaly(kind, report, place.device(), place.type(), place.address(), Optional.ofNullable(holder)));
    }
}
