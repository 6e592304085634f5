package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.OwnerCached;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Converts the reports of a history into generations, in one pass over the events.
 *
 * <p>A generation remains an object if it is live at the end, at a check or when the source stopped reporting, if an
 * anomaly concerns it, or if it may have been freed after the close began. The others become links in the
 * {@link GenerationStore}.
 */
final class GenerationBuilder {

    /** The state of the owners that share a name. */
    static final class OwnerState {
        @Nullable
        OwnerCached cached;

        OptionalLong endedAt = OptionalLong.empty();
        int ends;
        /**
         * The open periods of each device in which the owner allocated. The same name in another period may be another
         * owner's.
         */
        private final Map<Integer, Set<Integer>> openPeriods = new HashMap<>();

        void allocatedIn(int device, int devicePeriod) {
            openPeriods.computeIfAbsent(device, unused -> new HashSet<>()).add(devicePeriod);
        }

        /**
         * Returns the minimum number of owners with this name. Devices of one mesh may have different open periods, so
         * one device has to show several owners.
         */
        int minimumOwners() {
            return openPeriods.values().stream().mapToInt(Set::size).max().orElse(0);
        }
    }

    /** The generations that remain objects, in the order of allocation. */
    final List<BufferGeneration> objects;

    final List<Anomaly> anomalies = new ArrayList<>();
    final WitnessSnapshots snapshots;
    final Meshes meshes = new Meshes();
    final List<HistoryEvent.PhaseBegan> phases = new ArrayList<>();
    final List<HistoryEvent.ReportsLost> losses = new ArrayList<>();
    final List<HistoryEvent.DeviceOpened> openedWhileOpen = new ArrayList<>();
    final Map<Owner, OwnerState> owners = new HashMap<>();
    final IdentityHashMap<MemoryRequest, HistoryEvent.HandleTraced> traced = new IdentityHashMap<>(0);
    final Map<Long, HistoryEvent.ProcessDied> deaths = new HashMap<>();

    final List<HistoryEvent.TrackingStopped> gaps = new ArrayList<>();
    /** Captures and replays. */
    final List<HistoryEvent> traceEvents = new ArrayList<>(0);

    /** The events that are neither an allocation nor a free. */
    final List<HistoryEvent> others = new ArrayList<>();

    boolean hasSource;

    HistoryEvent.@Nullable Checked check;
    private final List<HistoryEvent> events;
    private final GenerationStore store;
    private final AddressTable addresses;
    private final AllocatedRanges allocatedRanges;
    private final DevicesByRequest devicesByRequest;

    /** Generations whose handle was released after their device was closed. */
    private final Set<BufferGeneration> releasedLate = new HashSet<>();

    /** Memory that a mesh reported under a device that it does not cover. */
    private record Outside(int mesh, int device, BufferType type, long address) {}

    /** The first device of the mesh, which holds the memory. */
    private final Map<Outside, Integer> firstDevices = new HashMap<>();

    private final DeviceOpenPeriods devices = new DeviceOpenPeriods();
    private Phase phase = Phase.START;
    /** The last check, or the last moment at which the source stopped reporting. */
    private long lastCheckOrGap;

    /** The position of the event that is being read: its index plus 1. */
    private int position;

    /** The generations of each request of an object, or of each request at all; created on first use. */
    private @Nullable IdentityHashMap<MemoryRequest, List<BufferGeneration>> byRequest;

    private boolean hasAllRequests;

    /**
     * Reads events.
     *
     * @param flatAddresses whether sizes determine how far a buffer reaches from its address
     */
    GenerationBuilder(List<HistoryEvent> events, boolean flatAddresses) {
        this.events = events;
        this.store = new GenerationStore(events, devices, meshes, phases);
        this.addresses = new AddressTable(store);
        this.devicesByRequest = new DevicesByRequest(events);
        this.allocatedRanges = new AllocatedRanges(flatAddresses);
        this.snapshots = new WitnessSnapshots(meshes);
        for (HistoryEvent event : events) {
            position++;
            apply(event);
        }
        addresses.forEach(address -> address.live().forEach(store::keep));
        this.objects = store.registeredObjects();
    }

    int openPeriodAt(int device, long number) {
        return devices.at(device, number);
    }

    /** Returns how many generations there are. */
    int count() {
        return store.count();
    }

    /** Returns every generation, in the order of allocation. */
    synchronized List<BufferGeneration> all() {
        addresses.forEach(Address::all);
        List<BufferGeneration> all = new ArrayList<>();
        for (HistoryEvent event : events) {
            BufferGeneration generation = event instanceof HistoryEvent.Allocated report ? store.of(report) : null;
            if (generation != null && generation.allocatedAt() == event.number()) {
                all.add(generation);
            }
        }
        return all;
    }

    /** Returns the generations of an address, in the order of allocation. */
    synchronized List<BufferGeneration> at(int device, BufferType type, long address) {
        Address known = addresses.find(device, type, address);
        return known == null ? List.of() : known.all();
    }

    /** Returns the generations with an allocation or a free whose request matches, in the order of allocation. */
    synchronized List<BufferGeneration> with(Predicate<MemoryRequest> condition) {
        Set<Address> named = new HashSet<>();
        MemoryRequest latest = null;
        boolean isMatch = false;
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.Allocated report) {
                isMatch = report.request() == latest ? isMatch : condition.test(report.request());
                latest = report.request();
                if (isMatch) {
                    named.add(addresses.find(report.device(), report.type(), report.address()));
                }
            } else if (event instanceof HistoryEvent.Freed free) {
                isMatch = free.request() == latest ? isMatch : condition.test(free.request());
                latest = free.request();
                if (isMatch) {
                    named.add(addresses.find(free.device(), free.type(), free.address()));
                }
            }
        }
        named.remove(null);
        Set<BufferGeneration> found = new HashSet<>(objects);
        named.forEach(address -> found.addAll(address.all()));
        return found.stream()
                .filter(generation -> generation.reports().stream()
                        .anyMatch(report -> condition.test(report.request())
                                || report.release().filter(condition).isPresent()))
                .sorted(Comparator.comparingLong(BufferGeneration::allocatedAt))
                .toList();
    }

    /** Returns the generations with a report of a request that is not anonymous, in the order of its reports. */
    synchronized List<BufferGeneration> of(MemoryRequest request) {
        IdentityHashMap<MemoryRequest, List<BufferGeneration>> known = byRequest;
        if (known == null) {
            known = new IdentityHashMap<>(0);
            byRequest = known;
            for (BufferGeneration object : objects) {
                for (BufferGeneration.Report report : object.reports()) {
                    known.put(report.request(), List.of());
                }
            }
            addReports(known);
        }
        if (!hasAllRequests && !known.containsKey(request)) {
            hasAllRequests = true;
            known = new IdentityHashMap<>();
            byRequest = known;
            addReports(known);
        }
        return known.getOrDefault(request, List.of());
    }

    /** Adds the generation of each report to those of its request, if the request has a list or all are to have one. */
    private void addReports(IdentityHashMap<MemoryRequest, List<BufferGeneration>> lists) {
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.Allocated report
                    && !report.request().isAnonymous()
                    && (hasAllRequests || lists.containsKey(report.request()))) {
                if (store.of(report) == null) {
                    at(report.device(), report.type(), report.address());
                }
                BufferGeneration generation = store.of(report);
                if (generation != null) {
                    addSibling(lists, report.request(), generation);
                }
            }
        }
    }

    /** Most requests of a log began one generation, so the second one creates the growable list. */
    private static void addSibling(
            IdentityHashMap<MemoryRequest, List<BufferGeneration>> lists,
            MemoryRequest request,
            BufferGeneration generation) {
        List<BufferGeneration> siblings = lists.getOrDefault(request, List.of());
        if (siblings.isEmpty()) {
            lists.put(request, List.of(generation));
        } else if (siblings.get(siblings.size() - 1) != generation) {
            if (siblings.size() == 1) {
                siblings = new ArrayList<>(siblings);
                lists.put(request, siblings);
            }
            siblings.add(generation);
        }
    }

    /** Returns the changes by all generations, in the order of the events. */
    synchronized Timeline timeline() {
        Deque<Timeline.Change> ofObjects = store.distinctObjects().stream()
                .flatMap(object -> Timeline.Change.of(object).stream())
                .sorted(Comparator.comparingLong(Timeline.Change::event))
                .collect(Collectors.toCollection(ArrayDeque::new));
        Timeline.Builder builder = new Timeline.Builder();
        for (int index = 0; index < events.size(); index++) {
            if (!store.addChange(index, builder)
                    && !ofObjects.isEmpty()
                    && ofObjects.element().event() == events.get(index).number()) {
                builder.add(ofObjects.remove());
            }
        }
        return builder.build();
    }

    private void apply(HistoryEvent event) {
        hasSource |= !(event instanceof HistoryEvent.PhaseBegan || event instanceof HistoryEvent.Checked);
        if (event instanceof HistoryEvent.Allocated allocated) {
            allocated(allocated);
        } else if (event instanceof HistoryEvent.Freed freed) {
            freed(freed);
        } else {
            others.add(event);
            applyOther(event);
        }
    }

    private void applyOther(HistoryEvent event) {
        if (event instanceof HistoryEvent.FreeIgnored ignored) {
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
            stateOf(cached.owner()).cached = cached;
        } else if (event instanceof HistoryEvent.OwnerEnded end) {
            OwnerState owner = stateOf(end.owner());
            owner.endedAt = OptionalLong.of(end.number());
            owner.ends++;
        } else if (event instanceof HistoryEvent.Witnessed witnessed) {
            if (witnessed.snapshot().moment() == WitnessSnapshot.Moment.CLOSE_BEGUN) {
                meshes.closing(witnessed.snapshot().mesh(), witnessed.number());
            }
            snapshots.add(witnessed, devices);
        } else if (event instanceof HistoryEvent.ReportsLost lost) {
            losses.add(lost);
        } else if (event instanceof HistoryEvent.HandleTraced trace) {
            traced.put(trace.request(), trace);
        } else if (event instanceof HistoryEvent.ProcessDied died) {
            deaths.put(died.processId(), died);
        } else if (event instanceof HistoryEvent.Checked checked) {
            check = checked;
            lastCheckOrGap = checked.number();
        } else if (event instanceof HistoryEvent.TrackingStopped stopped) {
            gaps.add(stopped);
            lastCheckOrGap = stopped.number();
        } else if (isOfTrace(event)) {
            traceEvents.add(event);
        }
    }

    private static boolean isOfTrace(HistoryEvent event) {
        return event instanceof HistoryEvent.CaptureBegan
                || event instanceof HistoryEvent.ProgramCaptured
                || event instanceof HistoryEvent.BufferCaptured
                || event instanceof HistoryEvent.CaptureEnded
                || event instanceof HistoryEvent.TraceReplayed;
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

    /** A device that another mesh begins to use stays unchanged, if the reports of the meshes can be distinguished. */
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
        int devicePeriod = devices.now(device);
        MeshOpenPeriod allocatingMesh = meshes.allocatorOf(details, device, devicePeriod);
        if (isClosed(device) || (allocatingMesh != null && allocatingMesh.isClosed())) {
            note(Anomaly.Kind.ALLOCATION_AFTER_CLOSE, report, address.latest());
        }
        BufferGeneration generation = address.reportedAgain(allocatingMesh, details, devicePeriod);
        if (generation != null && generation.isReservedAgainBy(report.request(), allocatingMesh)) {
            generation.reservedAgain(report.number());
            allocatedRanges.free(generation);
            generation = null;
        }
        if (generation != null && !generation.hasDevice()) {
            store.keep(generation);
            generation.resized(report);
            return;
        }
        boolean allocatesMemory = device != HistoryEvent.NO_DEVICE
                && details.kind() == BufferKind.BUFFER
                && (allocatingMesh == null || allocatingMesh.mayAllocate(device));
        if (generation == null) {
            generation = new BufferGeneration(
                    device,
                    report.type(),
                    report.address(),
                    address.nextGeneration(),
                    devicePeriod,
                    phase,
                    allocatingMesh);
            generation.report(report);
            address.begin(generation, position);
        } else {
            if (generation.size() != report.size() && generation.kind() == BufferKind.BUFFER) {
                note(Anomaly.Kind.SIZE_CHANGE, report, generation);
            }
            boolean heldMemory = generation.holdsMemory();
            // Its memory was allocated by an unknown mesh until now, and is from now on of this one.
            if (allocatingMesh != null && generation.allocatedBy() == null && !generation.isOfItsDevice()) {
                allocatedRanges.free(generation);
                store.keep(generation);
                generation.setAllocatedBy(allocatingMesh);
                heldMemory = false;
            }
            allocatesMemory &= !heldMemory;
            generation.report(report);
            address.add(position);
        }
        if (device != report.device()) {
            store.keep(generation);
        }
        Optional<BufferGeneration> viewed =
                allocatesMemory ? allocatedRanges.viewedBy(generation, report) : Optional.empty();
        if (viewed.isPresent()) {
            generation.setViewed(viewed.get().allocatedAt());
        } else if (allocatesMemory) {
            for (AllocatedRanges.Overlap overlap : allocatedRanges.allocate(generation, report)) {
                store.keep(generation);
                note(overlap.kind(), report, overlap.generation());
            }
        }
        if (details.owner().isPresent()) {
            stateOf(details.owner().get()).allocatedIn(device, devicePeriod);
        }
    }

    /**
     * Returns the device whose memory an allocation report is about.
     *
     * <p>Some runtimes report the backing buffer of a mesh buffer under a device of their own choice, such as device 0.
     * If the mesh does not cover that device, and the request also reports on the first device of the mesh, then this
     * is a second report of that memory.
     */
    private int deviceOf(HistoryEvent.Allocated report) {
        AllocationDetails details = report.request().details();
        int reported = report.device();
        if (details.mesh().isEmpty()) {
            return reported;
        }
        MeshOpenPeriod allocatingMesh = meshes.openPeriod(details.mesh().getAsInt(), reported, devices.now(reported));
        if (allocatingMesh.mayAllocate(reported)) {
            return reported;
        }
        List<Integer> devices = allocatingMesh.description().orElseThrow().devices();
        if (devices.isEmpty() || !devicesByRequest.include(report.request(), devices.get(0))) {
            return reported;
        }
        int first = devices.get(0);
        firstDevices.put(new Outside(allocatingMesh.mesh(), reported, report.type(), report.address()), first);
        return first;
    }

    /** Returns the device whose memory a free is about, which is that of its allocation ({@link #deviceOf}). */
    private int deviceOfFree(AllocationDetails details, int reported, BufferType type, long address) {
        return firstDevices.isEmpty() || details.mesh().isEmpty()
                ? reported
                : firstDevices.getOrDefault(new Outside(details.mesh().getAsInt(), reported, type, address), reported);
    }

    private void freed(HistoryEvent.Freed report) {
        int device = deviceOfFree(report.request().details(), report.device(), report.type(), report.address());
        Address address = addresses.find(device, report.type(), report.address());
        if (address == null) {
            note(Anomaly.Kind.UNKNOWN_FREE, report, null);
            return;
        }
        int devicePeriod = devices.now(device);
        MeshOpenPeriod allocatingMesh = meshes.allocatorOf(report.request().details(), device, devicePeriod);
        BufferGeneration generation = address.freedBy(report, allocatingMesh, devicePeriod);
        // A free with another extent in its bank is about another buffer, whose report is late or lost.
        if (generation == null || !generation.mayBeReleasedBy(report.request().details())) {
            BufferGeneration last =
                    address.lastOf(allocatingMesh, report.request().details());
            note(
                    last == null ? Anomaly.Kind.UNKNOWN_FREE : Anomaly.Kind.DOUBLE_FREE,
                    report,
                    last == null ? address.latest() : last);
            return;
        }
        MeshOpenPeriod itsMesh = generation.allocatedBy();
        boolean late = isClosed(device) || (itsMesh != null && itsMesh.isClosed());
        if (late && generation.kind() == BufferKind.BUFFER) {
            note(Anomaly.Kind.FREE_REPORTED_AFTER_CLOSE, report, generation);
        }
        int freed = generation.reportFreedBy(report, devicesByRequest);
        store.freed(generation.reports().get(freed).allocatedAt(), position);
        generation.free(freed, report);
        if (!generation.holdsMemory()) {
            allocatedRanges.free(generation);
        }
        if (!generation.isLive()) {
            if (generation.allocatedAt() < lastCheckOrGap || mayBeLate(generation, report.number())) {
                store.keep(generation);
            }
            store.ended(generation, position);
            address.ended(generation);
        }
    }

    /** Returns whether the close of the allocator may have begun before a free; that is known for certain later. */
    private boolean mayBeLate(BufferGeneration generation, long free) {
        MeshOpenPeriod itsMesh = generation.allocatedBy();
        return (itsMesh != null && itsMesh.closingAt() <= free)
                || meshes.closingOver(generation.device(), free) < free
                || devices.closingAfter(generation.device(), generation.allocatedAt()) <= free;
    }

    private void ignored(HistoryEvent.FreeIgnored report) {
        if (report.reason() == IgnoredFreeReason.STILL_SHARED || report.reason() == IgnoredFreeReason.FAILED) {
            // These are no anomalies: a free of one of several handles frees nothing, and of a failed one the caller
            // knows.
            return;
        }
        Anomaly.Kind kind = switch (report.reason()) {
            case ALREADY_FREED -> Anomaly.Kind.IGNORED_DOUBLE_FREE;
            case UNKNOWN_ADDRESS -> Anomaly.Kind.IGNORED_UNKNOWN_FREE;
            case DEVICE_CLOSED -> Anomaly.Kind.FREE_AFTER_CLOSE;
            case STILL_SHARED, FAILED -> throw new IllegalStateException("Nothing was freed: " + report);
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
            return releasedAfterClose(address, details);
        }
        return address.lastOf(meshes.allocatorOf(details, device, devices.now(device)), details);
    }

    /**
     * Returns the generation of a handle that is released after its device or mesh was closed.
     *
     * <p>A handle of a closed device is older than the device's current open period, whatever is at its address now. A
     * handle of a closed mesh is older than the mesh's current open period. It matches one generation that no other
     * handle matched. If several remain, the match is unknown.
     */
    private @Nullable BufferGeneration releasedAfterClose(Address address, AllocationDetails details) {
        OptionalInt mesh = details.mesh();
        List<BufferGeneration> candidates = address.inLedger().stream()
                .filter(this::mayBeOfClosedAllocator)
                .filter(generation -> generation.mayBeOf(details))
                .filter(generation -> !generation.isLive() || generation.mayBeReleasedBy(details))
                .toList();
        List<BufferGeneration> ofItsMesh = candidates.stream()
                .filter(generation -> generation.allocatedBy() != null
                        && mesh.equals(OptionalInt.of(generation.allocatedBy().mesh())))
                .toList();
        if (mesh.isPresent()) {
            candidates = !ofItsMesh.isEmpty()
                    ? ofItsMesh
                    : candidates.stream()
                            .filter(generation -> generation.allocatedBy() == null)
                            .toList();
        }
        List<BufferGeneration> unclaimed = candidates.stream()
                .filter(BufferGeneration::isLive)
                .filter(generation -> !releasedLate.contains(generation))
                .toList();
        if (unclaimed.size() == 1) {
            releasedLate.add(unclaimed.get(0));
            return unclaimed.get(0);
        }
        return unclaimed.isEmpty() && !candidates.isEmpty() ? candidates.get(candidates.size() - 1) : null;
    }

    /** Returns the event at which the close of the allocator that holds a buffer began, or {@link Long#MAX_VALUE}. */
    long closeOf(BufferGeneration generation) {
        long ofDevice = devices.closingAfter(generation.device(), generation.allocatedAt());
        MeshOpenPeriod mesh = generation.allocatedBy();
        if (mesh == null || mesh.closingAt() < generation.allocatedAt()) {
            return ofDevice;
        }
        return Math.min(mesh.closingAt(), ofDevice);
    }

    /**
     * Returns whether the allocator of a buffer was closed. If no opening of a mesh was reported, it may have been, unless the
     * buffer was allocated after its device was opened again.
     */
    private boolean mayBeOfClosedAllocator(BufferGeneration generation) {
        MeshOpenPeriod mesh = generation.allocatedBy();
        if (mesh == null || !mesh.isAnnounced()) {
            return !isOfReopenedDevice(generation);
        }
        return mesh.isClosed() || isClosed(generation.device());
    }

    private boolean isOfReopenedDevice(BufferGeneration generation) {
        return generation.openPeriod() > 1
                && generation.openPeriod() == devices.now(generation.device())
                && !isClosed(generation.device());
    }

    private boolean isClosed(int device) {
        return devices.isClosed(device);
    }

    private OwnerState stateOf(Owner owner) {
        return owners.computeIfAbsent(owner, unused -> new OwnerState());
    }

    private void note(Anomaly.Kind kind, HistoryEvent.Allocated report, @Nullable BufferGeneration generation) {
        note(kind, report, report.device(), report.type(), report.address(), generation);
    }

    private void note(Anomaly.Kind kind, HistoryEvent.Freed report, @Nullable BufferGeneration generation) {
        note(kind, report, report.device(), report.type(), report.address(), generation);
    }

    private void note(
            Anomaly.Kind kind,
            HistoryEvent report,
            int device,
            BufferType type,
            long address,
            @Nullable BufferGeneration generation) {
        if (generation != null) {
            store.keep(generation);
        }
        anomalies.add(new Anomaly(kind, report, device, type, address, Optional.ofNullable(generation)));
    }
}
