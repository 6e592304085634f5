package dev.meshguard.tracker.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.history.HistoryEvent.OwnerCached;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One pass over the events of a history that turns addresses into lives. */
final class GenerationBuilder {

    /** What became of an owner. */
    static final class OwnerFate {
        @Nullable
        OwnerCached cached;

        OptionalLong endedAt = OptionalLong.empty();
        int ends;
        /** The lives of each device in which it allocated; a name that comes back in another may be another owner's. */
        private final Map<Integer, Set<Integer>> openPeriods = new HashMap<>();

        void allocatedIn(int device, int life) {
            openPeriods.computeIfAbsent(device, unused -> new HashSet<>()).add(life);
        }

        /** Devices that one mesh lies over may be in lives of different numbers: one device has to see several bearers. */
        int bearers() {
            return openPeriods.values().stream().mapToInt(Set::size).max().orElse(0);
        }
    }

    final List<BufferGeneration> generations = new ArrayList<>();
    final List<Anomaly> anomalies = new ArrayList<>();
    final Readings readings;
    final Meshes meshes = new Meshes();
    final List<HistoryEvent.PhaseBegan> phases = new ArrayList<>();
    final List<HistoryEvent.ReportsLost> losses = new ArrayList<>();
    final List<HistoryEvent.DeviceOpened> openedWhileOpen = new ArrayList<>();
    final Map<Owner, OwnerFate> owners = new HashMap<>();
    final IdentityHashMap<AllocationRequest, HistoryEvent.HandleTraced> traced = new IdentityHashMap<>(0);
    final Map<Long, HistoryEvent.ProcessDied> deaths = new HashMap<>();

    final List<HistoryEvent.TrackingStopped> gaps = new ArrayList<>();
    final Canaries canaries = new Canaries();
    boolean hasSource;

    HistoryEvent.@Nullable Checked check;
    final IdentityHashMap<AllocationRequest, List<BufferGeneration>> byRequest = new IdentityHashMap<>(0);

    private final List<HistoryEvent> events;
    private final Map<Long, Integer> numbers;
    private final AddressTable addresses = new AddressTable();
    private final AllocatedRanges allocatedRanges;
    private final DevicesByRequest devicesByRequest;

    /** Lives whose handle was released after their device was closed. */
    private final Set<BufferGeneration> releasedLate = new HashSet<>();

    /** Memory that a mesh reported under a device that it does not lie over. */
    private record Outside(int mesh, int device, BufferType type, long address) {}

    /** The first device of the mesh, where its memory is. */
    private final Map<Outside, Integer> firstDevices = new HashMap<>();

    private final DeviceOpenPeriods devices = new DeviceOpenPeriods();
    private Phase phase = Phase.START;

    /**
     * Looks at events.
     *
     * @param flatAddresses whether sizes say how far a buffer reaches from its address
     */
    GenerationBuilder(EventStore.Selection selection, boolean flatAddresses) {
        this.events = selection.events();
        this.numbers = selection.generations();
        this.devicesByRequest = new DevicesByRequest(events);
        this.allocatedRanges = new AllocatedRanges(flatAddresses);
        this.readings = new Readings(meshes);
        for (HistoryEvent event : events) {
            apply(event);
        }
    }

    int openPeriodAt(int device, long number) {
        return devices.at(device, number);
    }

    private void apply(HistoryEvent event) {
        hasSource |= !(event instanceof HistoryEvent.PhaseBegan || event instanceof HistoryEvent.Checked);
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
            meshes.opened(opened);
        } else if (event instanceof HistoryEvent.MeshClosing closing) {
            meshes.closing(closing.mesh(), closing.number());
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            closed(closed);
        } else if (event instanceof HistoryEvent.DeviceOpened opened) {
            opened(opened);
        } else if (event instanceof HistoryEvent.DeviceClosed closed) {
            devices.close(closed.device(), meshes.closingOver(closed.device(), closed.number()));
        } else if (event instanceof HistoryEvent.OwnerCached cached) {
            fate(cached.owner()).cached = cached;
        } else if (event instanceof HistoryEvent.OwnerEnded ended) {
            OwnerFate fate = fate(ended.owner());
            fate.endedAt = OptionalLong.of(ended.number());
            fate.ends++;
        } else if (event instanceof HistoryEvent.Witnessed witnessed) {
            if (witnessed.snapshot().moment() == WitnessSnapshot.Moment.CLOSE_BEGUN) {
                meshes.closing(witnessed.snapshot().mesh(), witnessed.number());
            }
            readings.add(witnessed, devices);
        } else if (event instanceof HistoryEvent.ReportsLost lost) {
            losses.add(lost);
        } else if (event instanceof HistoryEvent.HandleTraced trace) {
            traced.put(trace.request(), trace);
        } else if (event instanceof HistoryEvent.ProcessDied died) {
            deaths.put(died.processId(), died);
        } else if (event instanceof HistoryEvent.Checked checked) {
            check = checked;
        } else if (event instanceof HistoryEvent.TrackingStopped stopped) {
            gaps.add(stopped);
        } else {
            canary(event);
        }
    }

    private void canary(HistoryEvent event) {
        if (event instanceof HistoryEvent.CanaryPlanted planted) {
            canaries.planted(planted);
        } else if (event instanceof HistoryEvent.CanarySeen seen) {
            canaries.seen(seen);
        } else if (event instanceof HistoryEvent.CanaryFreed freed) {
            canaries.freed(freed);
        }
    }

    private void closed(HistoryEvent.MeshClosed event) {
        MeshOpenPeriod mesh = meshes.closed(event);
        if (mesh != null) {
            allocatedRanges.closed(mesh);
            for (int device : mesh.description().orElseThrow().devices()) {
                if (!meshes.isAnyOpenOver(device)) {
                    devices.release(device, mesh.closingAt());
                }
            }
        }
    }

    /** A device that one more mesh comes to use stays as it is, if what the meshes report can be told apart. */
    private void opened(HistoryEvent.DeviceOpened event) {
        int device = event.device();
        if (!devices.open(device)) {
            if (Meshes.areDistinguishedOn(device, events)) {
                return;
            }
            openedWhileOpen.add(event);
        }
        devices.begin(device, event.number());
        allocatedRanges.opened(device);
    }

    private void allocated(HistoryEvent.Allocated report) {
        AllocationDetails details = report.request().details();
        int device = deviceOf(report);
        Address address = addresses.findOrAdd(device, report.type(), report.address());
        int life = devices.now(device);
        MeshOpenPeriod lender = meshes.allocatorOf(details, device, life);
        if (isClosed(device) || (lender != null && lender.isClosed())) {
            note(Anomaly.Kind.ALLOCATION_AFTER_CLOSE, report, address.latest());
        }
        BufferGeneration holder = address.reportedAgain(lender, details, life);
        if (holder != null && holder.isReservedAgainBy(report.request(), lender)) {
            holder.reservedAgain(report.number());
            allocatedRanges.free(holder);
            holder = null;
        }
        boolean takesMemory = details.kind() == BufferKind.BUFFER && (lender == null || lender.mayAllocate(device));
        if (holder == null) {
            holder = new BufferGeneration(
                    device,
                    report.type(),
                    report.address(),
                    numbers.isEmpty()
                            ? address.nextGeneration()
                            : numbers.getOrDefault(report.number(), address.nextGeneration()),
                    life,
                    phase,
                    lender);
            address.begin(holder);
            generations.add(holder);
        } else {
            if (holder.size() != report.size() && holder.kind() == BufferKind.BUFFER) {
                note(Anomaly.Kind.SIZE_CHANGE, report, holder);
            }
            boolean heldMemory = holder.holdsMemory();
            if (lender != null && holder.allocatedBy() == null && !holder.isOfItsDevice()) {
                allocatedRanges.free(holder);
                holder.setAllocatedBy(lender);
                heldMemory = false;
            }
            takesMemory &= !heldMemory;
        }
        holder.report(report.number(), report.request(), report.size(), report.ownership());
        if (takesMemory) {
            allocatedRanges.take(holder, report).forEach(met -> note(met.kind(), report, met.holder()));
        }
        if (details.owner().isPresent()) {
            fate(details.owner().get()).allocatedIn(device, life);
        }
        if (report.request().isAnonymous()) {
            return;
        }
        addSibling(report.request(), holder);
    }

    /**
     * Returns the device whose memory a report of an allocation is about.
     *
     * <p>Some runtimes report the backing buffer of a mesh buffer under a device of their own choice, such as device 0. If the mesh
     * does not lie over that device, and the request also reports on the first device of the mesh, then this is a second report of
     * that memory.
     */
    private int deviceOf(HistoryEvent.Allocated report) {
        AllocationDetails details = report.request().details();
        int reported = report.device();
        if (details.mesh().isEmpty()) {
            return reported;
        }
        MeshOpenPeriod lender = meshes.openPeriod(details.mesh().getAsInt(), reported, devices.now(reported));
        if (lender.mayAllocate(reported)) {
            return reported;
        }
        List<Integer> devices = lender.description().orElseThrow().devices();
        if (devices.isEmpty() || !devicesByRequest.include(report.request(), devices.get(0))) {
            return reported;
        }
        int first = devices.get(0);
        firstDevices.put(new Outside(lender.mesh(), reported, report.type(), report.address()), first);
        return first;
    }

    /** Returns the device on which a free takes a report back. A device that no allocation there named may be a stale number. */
    private int deviceOfFree(AllocationDetails details, int reported, BufferType type, long address) {
        return firstDevices.isEmpty() || details.mesh().isEmpty()
                ? reported
                : firstDevices.getOrDefault(new Outside(details.mesh().getAsInt(), reported, type, address), reported);
    }

    /** Most requests of a log began one life, so a list that can grow is made for the second. */
    private void addSibling(AllocationRequest request, BufferGeneration holder) {
        List<BufferGeneration> siblings = byRequest.putIfAbsent(request, List.of(holder));
        if (siblings == null || siblings.get(siblings.size() - 1) == holder) {
            return;
        }
        if (siblings.size() == 1) {
            siblings = new ArrayList<>(siblings);
            byRequest.put(request, siblings);
        }
        siblings.add(holder);
    }

    private void freed(HistoryEvent.Freed report) {
        int device = deviceOfFree(report.request().details(), report.device(), report.type(), report.address());
        Address address = addresses.find(device, report.type(), report.address());
        if (address == null) {
            note(Anomaly.Kind.UNKNOWN_FREE, report, null);
            return;
        }
        int life = devices.now(device);
        MeshOpenPeriod lender = meshes.allocatorOf(report.request().details(), device, life);
        BufferGeneration holder = address.freedBy(report, lender, life);
        // What takes another extent in its bank is another buffer, whose report is late or lost.
        if (holder == null || !holder.mayBeReleasedBy(report.request().details())) {
            BufferGeneration last = address.lastOf(lender, report.request().details());
            note(
                    last == null ? Anomaly.Kind.UNKNOWN_FREE : Anomaly.Kind.DOUBLE_FREE,
                    report,
                    last == null ? address.latest() : last);
            return;
        }
        MeshOpenPeriod itsMesh = holder.allocatedBy();
        boolean late = isClosed(device) || (itsMesh != null && itsMesh.isClosed());
        if (late && holder.kind() == BufferKind.BUFFER) {
            note(Anomaly.Kind.FREE_REPORTED_AFTER_CLOSE, report, holder);
        }
        holder.free(report.number(), report.request(), report.ownership(), devicesByRequest);
        if (!holder.holdsMemory()) {
            allocatedRanges.free(holder);
        }
        if (!holder.isLive()) {
            address.ended(holder);
        }
    }

    private void ignored(HistoryEvent.FreeIgnored report) {
        if (report.reason() == IgnoredFreeReason.STILL_SHARED) {
            // It fits what is known: that one handle of several frees nothing is how it should be.
            return;
        }
        Anomaly.Kind kind = switch (report.reason()) {
            case ALREADY_FREED -> Anomaly.Kind.IGNORED_DOUBLE_FREE;
            case UNKNOWN_ADDRESS -> Anomaly.Kind.IGNORED_UNKNOWN_FREE;
            case DEVICE_CLOSED -> Anomaly.Kind.FREE_AFTER_CLOSE;
            case STILL_SHARED -> throw new IllegalStateException("A handle of several frees nothing: " + report);
        };
        int device = deviceOfFree(report.request().details(), report.device(), report.type(), report.address());
        Address address = addresses.find(device, report.type(), report.address());
        note(kind, report, report.device(), report.type(), report.address(), generationOf(report, device, address));
    }

    private @Nullable BufferGeneration generationOf(
            HistoryEvent.FreeIgnored report, int device, @Nullable Address address) {
        if (address == null) {
            return null;
        }
        AllocationDetails details = report.request().details();
        if (report.reason() == IgnoredFreeReason.DEVICE_CLOSED) {
            return releasedAt(address, details);
        }
        return address.lastOf(meshes.allocatorOf(details, device, devices.now(device)), details);
    }

    /**
     * A handle of a closed device is older than the device's present life, whoever lives at its address now, and one of a
     * closed mesh is older than its present opening. It speaks for one life that no other handle spoke for; where several
     * are left, nobody can tell which.
     */
    private @Nullable BufferGeneration releasedAt(Address address, AllocationDetails details) {
        OptionalInt mesh = details.mesh();
        List<BufferGeneration> over = address.inLedger().stream()
                .filter(this::isOver)
                .filter(life -> life.mayBeOf(details))
                .filter(life -> !life.isLive() || life.mayBeReleasedBy(details))
                .toList();
        List<BufferGeneration> ofItsMesh = over.stream()
                .filter(life -> life.allocatedBy() != null
                        && mesh.equals(OptionalInt.of(life.allocatedBy().mesh())))
                .toList();
        if (mesh.isPresent()) {
            over = !ofItsMesh.isEmpty()
                    ? ofItsMesh
                    : over.stream().filter(life -> life.allocatedBy() == null).toList();
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

    /** Returns the event at which the close of the allocator that holds a buffer began, or {@link Long#MAX_VALUE}. */
    long closeOf(BufferGeneration life) {
        long ofDevice = devices.closingAfter(life.device(), life.allocatedAt());
        MeshOpenPeriod mesh = life.allocatedBy();
        if (mesh == null || mesh.closingAt() < life.allocatedAt() || !isHeldByMesh(life)) {
            return ofDevice;
        }
        return Math.min(mesh.closingAt(), ofDevice);
    }

    /** What a mesh lends lies on all its devices at once; what lies on one may be of the device's own allocator. */
    private boolean isHeldByMesh(BufferGeneration life) {
        if (life.allocator().isPresent()) {
            return !life.allocator().get().equals(AllocatorId.DEVICE);
        }
        for (BufferGeneration.Report report : life.reports()) {
            if (report.ownership() == Ownership.NON_OWNING
                    || byRequest.getOrDefault(report.request(), List.of()).size() > 1) {
                return true;
            }
        }
        return false;
    }

    private boolean isOver(BufferGeneration life) {
        MeshOpenPeriod mesh = life.allocatedBy();
        if (mesh == null || !mesh.isAnnounced()) {
            return !isOfReopenedDevice(life);
        }
        return mesh.isClosed() || isClosed(life.device());
    }

    private boolean isOfReopenedDevice(BufferGeneration holder) {
        return holder.openPeriod() > 1
                && holder.openPeriod() == devices.now(holder.device())
                && !isClosed(holder.device());
    }

    private boolean isClosed(int device) {
        return devices.isClosed(device);
    }

    private OwnerFate fate(Owner owner) {
        return owners.computeIfAbsent(owner, unused -> new OwnerFate());
    }

    private void note(Anomaly.Kind kind, HistoryEvent.Allocated report, @Nullable BufferGeneration holder) {
        note(kind, report, report.device(), report.type(), report.address(), holder);
    }

    private void note(Anomaly.Kind kind, HistoryEvent.Freed report, @Nullable BufferGeneration holder) {
        note(kind, report, report.device(), report.type(), report.address(), holder);
    }

    private void note(
            Anomaly.Kind kind,
            HistoryEvent report,
            int device,
            BufferType type,
            long address,
            @Nullable BufferGeneration holder) {
        anomalies.add(new Anomaly(kind, report, device, type, address, Optional.ofNullable(holder)));
    }
}
