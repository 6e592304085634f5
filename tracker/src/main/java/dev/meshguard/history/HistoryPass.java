package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.history.Devices.Device;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The one pass over the events of a history, which converts reports into generations and finds anomalies.
 *
 * <p>A generation remains an object if it is live at the end, at a check or when the source stopped reporting, if an
 * anomaly concerns it, or if it may have been freed after the close began. The others become links in the
 * {@link Generations}.
 */
final class HistoryPass {

    /** Memory that a mesh reported under a device that it does not cover. */
    private record Outside(int mesh, int device, BufferType type, long address) {}

    final List<Anomaly> anomalies = new ArrayList<>();
    /** The events other than allocations and frees, by their class. */
    final Map<Class<?>, List<HistoryEvent>> otherEvents = new HashMap<>();
    /** The openings of open devices where the reports of the meshes cannot be distinguished. */
    final List<HistoryEvent.DeviceOpened> openedWhileOpen = new ArrayList<>();
    /** The last search result for the handle of each request. */
    final IdentityHashMap<MemoryRequest, HistoryEvent.HandleTraced> traced = new IdentityHashMap<>(0);
    /** The last count of the references to the memory of each request. */
    final IdentityHashMap<MemoryRequest, HistoryEvent.ReferencesCounted> counted = new IdentityHashMap<>(0);

    final NavigableMap<Long, HistoryEvent.PhaseBegan> phases = new TreeMap<>();
    /** The devices that reports named. */
    final Set<Integer> reportedDevices = new HashSet<>();

    final Meshes meshes = new Meshes();
    final Devices devices;
    final WitnessSnapshots snapshots;
    final Generations generations;

    private final List<HistoryEvent> events;
    private final DevicesByRequest devicesByRequest;

    /** Generations whose handle was released after their device was closed. */
    private final Set<BufferGeneration> releasedLate = new HashSet<>();

    /** The latest free of a view for which no view of a buffer was reported: its report may follow. */
    private final Map<BufferGeneration, Anomaly> earlyFreesOfViews = new HashMap<>(0);

    /** The device that holds such memory: the first of the mesh, see {@link #deviceOf}. */
    private final Map<Outside, Integer> firstDevices = new HashMap<>();

    /** The last check, or the last moment at which the source stopped reporting. */
    private long lastCheckOrGap;

    /** The position of the event that is being read: its index plus 1. */
    private int position;

    /**
     * Reads events.
     *
     * @param flatAddresses whether sizes determine how far a buffer reaches from its address
     */
    HistoryPass(List<HistoryEvent> events, boolean flatAddresses) {
        this.events = events;
        this.devices = new Devices(flatAddresses);
        this.snapshots = new WitnessSnapshots(meshes, devices);
        this.generations = new Generations(events, devices, meshes, phases);
        this.devicesByRequest = new DevicesByRequest(events);
        for (HistoryEvent event : events) {
            position++;
            apply(event);
        }
        generations.complete();
    }

    /** Returns the event at which the close of the allocator that holds a buffer began, or {@link Long#MAX_VALUE}. */
    long closeOf(BufferGeneration generation) {
        long ofDevice = devices.openPeriodsOf(generation.device()).closingAfter(generation.allocatedAt());
        MeshOpenPeriod mesh = generation.allocatedBy();
        return mesh == null || mesh.closingAt() < generation.allocatedAt()
                ? ofDevice
                : Math.min(mesh.closingAt(), ofDevice);
    }

    private void apply(HistoryEvent event) {
        if (event instanceof HistoryEvent.OfMemory report) {
            reportedDevices.add(report.device());
        }
        if (event instanceof HistoryEvent.Allocated report) {
            generations.reported(report.request(), position);
            allocated(report);
        } else if (event instanceof HistoryEvent.Freed report) {
            generations.reported(report.request(), position);
            freed(report);
        } else {
            otherEvents
                    .computeIfAbsent(event.getClass(), unused -> new ArrayList<>())
                    .add(event);
            applyOther(event);
        }
    }

    private void applyOther(HistoryEvent event) {
        if (event instanceof HistoryEvent.FreeIgnored report) {
            ignored(report);
        } else if (event instanceof HistoryEvent.PhaseBegan began) {
            phases.put(began.number(), began);
        } else if (event instanceof HistoryEvent.MeshOpened opened) {
            meshes.opened(opened);
        } else if (event instanceof HistoryEvent.MeshClosing closing) {
            meshes.closing(closing.mesh(), closing.number());
        } else if (event instanceof HistoryEvent.MeshClosed closed) {
            closed(closed);
        } else if (event instanceof HistoryEvent.DeviceOpened opened) {
            opened(opened);
        } else if (event instanceof HistoryEvent.DeviceClosed closed) {
            long number = closed.number();
            devices.named(closed.device()).openPeriods().close(number, meshes.closingOver(closed.device(), number));
        } else if (event instanceof HistoryEvent.Witnessed witnessed) {
            if (witnessed.snapshot().moment() == WitnessSnapshot.Moment.CLOSE_BEGUN) {
                meshes.closing(witnessed.snapshot().mesh(), witnessed.number());
            }
            snapshots.add(witnessed);
        } else if (event instanceof HistoryEvent.HandleTraced trace) {
            traced.put(trace.request(), trace);
        } else if (event instanceof HistoryEvent.ReferencesCounted count) {
            counted.put(count.request(), count);
        } else if (event instanceof HistoryEvent.Checked || event instanceof HistoryEvent.TrackingStopped) {
            lastCheckOrGap = event.number();
        }
    }

    private void closed(HistoryEvent.MeshClosed event) {
        MeshOpenPeriod mesh = meshes.closed(event);
        if (mesh != null) {
            devices.all().forEach(device -> device.ranges().closed(mesh));
            for (int device : mesh.description().orElseThrow().devices()) {
                if (!meshes.isAnyOpenOver(device)) {
                    devices.named(device).openPeriods().release(mesh.closingAt());
                }
            }
        }
    }

    /** A device that another mesh begins to use stays unchanged, if the reports of the meshes can be distinguished. */
    private void opened(HistoryEvent.DeviceOpened event) {
        Device device = devices.named(event.device());
        if (!device.openPeriods().open()) {
            if (Meshes.areDistinguishedOn(event.device(), events)) {
                return;
            }
            openedWhileOpen.add(event);
        }
        device.openPeriods().begin(event.number());
        device.ranges().opened();
    }

    private void allocated(HistoryEvent.Allocated report) {
        AllocationDetails details = report.details();
        Device device = devices.named(report.device());
        MeshOpenPeriod mesh = allocatorOf(details, device);
        if (mesh != null && !mesh.mayAllocate(device.id())) {
            device = deviceOf(report, mesh);
            mesh = allocatorOf(details, device);
        }
        int devicePeriod = device.openPeriods().now();
        AddressGenerations address = device.addresses().find(report.type(), report.address());
        if (address == null) {
            address = new AddressGenerations(report.type(), report.address(), generations);
            device.addresses().add(address);
        }
        if (isClosed(device.openPeriods(), mesh)) {
            note(Anomaly.Kind.ALLOCATION_AFTER_CLOSE, report, address.latest());
        }
        BufferGeneration known = address.reportedAgain(mesh, details, devicePeriod);
        if (known != null && known.isReservedAgainBy(report.request(), mesh)) {
            known.reservedAgain(report.number());
            device.ranges().free(known);
            known = null;
        }
        if (known != null && !known.hasDevice()) {
            generations.keep(known);
            known.resized(report);
            return;
        }
        boolean isHeld = known != null && known.holdsMemory();
        if (known != null && mesh != null && known.allocatedBy() == null && !known.isOfItsDevice()) {
            // Earlier reports did not name the mesh that allocated the memory.
            device.ranges().free(known);
            generations.keep(known);
            known.setAllocatedBy(mesh);
            isHeld = false;
        }
        BufferGeneration generation = known == null
                ? begun(
                        report,
                        address,
                        new BufferGeneration(
                                device.id(),
                                report.type(),
                                report.address(),
                                address.nextGeneration(),
                                devicePeriod,
                                generations.phaseAt(report.number()),
                                mesh))
                : repeated(report, address, known);
        if (device.id() != report.device()) {
            generations.keep(generation);
        }
        if (!isHeld
                && generation.hasDevice()
                && details.kind() == BufferKind.BUFFER
                && (mesh == null || mesh.mayAllocate(device.id()))) {
            allocateRange(device.ranges(), generation, report);
        }
    }

    private BufferGeneration begun(
            HistoryEvent.Allocated report, AddressGenerations address, BufferGeneration generation) {
        generation.report(report);
        address.begin(generation, position);
        return generation;
    }

    private BufferGeneration repeated(
            HistoryEvent.Allocated report, AddressGenerations address, BufferGeneration generation) {
        if (generation.size() != report.size() && generation.kind() == BufferKind.BUFFER) {
            note(Anomaly.Kind.SIZE_CHANGE, report, generation);
        }
        generation.report(report);
        address.add(position);
        Anomaly early = earlyFreesOfViews.remove(generation);
        if (early != null) {
            anomalies.remove(early);
            generation.free(generation.reports().size() - 1, (HistoryEvent.Freed) early.event());
        }
        return generation;
    }

    private void allocateRange(AllocatedRanges ranges, BufferGeneration generation, HistoryEvent.Allocated report) {
        Optional<BufferGeneration> viewed = ranges.viewedBy(generation, report);
        if (viewed.isPresent()) {
            generation.setViewed(viewed.get().allocatedAt());
            return;
        }
        for (AllocatedRanges.Overlap overlap : ranges.allocate(generation, report)) {
            generations.keep(generation);
            note(overlap.kind(), report, overlap.generation());
        }
    }

    /** Returns the mesh whose allocator holds the memory of the current report on a device, if the report names it. */
    private @Nullable MeshOpenPeriod allocatorOf(AllocationDetails details, Device device) {
        return meshes.allocatorOf(details, device.id(), device.openPeriods().now(), Long.MAX_VALUE);
    }

    /**
     * Returns the device whose memory an allocation report is about that names a mesh which does not cover its device.
     *
     * <p>Some runtimes report the backing buffer of a mesh buffer under a device of their own choice, such as device 0.
     * If the request also reports on the first device of the mesh, then this is a second report of that memory.
     */
    private Device deviceOf(HistoryEvent.Allocated report, MeshOpenPeriod mesh) {
        List<Integer> covered = mesh.description().orElseThrow().devices();
        if (covered.isEmpty() || !devicesByRequest.include(report.request(), covered.get(0))) {
            return devices.named(report.device());
        }
        int first = covered.get(0);
        firstDevices.put(new Outside(mesh.mesh(), report.device(), report.type(), report.address()), first);
        return devices.named(first);
    }

    /** Returns the device whose memory a free is about, which is that of its allocation ({@link #deviceOf}). */
    private Device deviceOfFree(HistoryEvent.OfMemory free) {
        OptionalInt mesh = free.details().mesh();
        int reported = free.device();
        return devices.named(
                firstDevices.isEmpty() || mesh.isEmpty()
                        ? reported
                        : firstDevices.getOrDefault(
                                new Outside(mesh.getAsInt(), reported, free.type(), free.address()), reported));
    }

    private void freed(HistoryEvent.Freed report) {
        AllocationDetails details = report.details();
        Device device = deviceOfFree(report);
        AddressGenerations address = device.addresses().find(report.type(), report.address());
        if (address == null) {
            note(Anomaly.Kind.UNKNOWN_FREE, report, null);
            return;
        }
        MeshOpenPeriod allocatingMesh = allocatorOf(details, device);
        BufferGeneration generation =
                address.freedBy(report, allocatingMesh, device.openPeriods().now());
        // The free may be about another buffer, whose report is late or lost.
        if (generation == null) {
            BufferGeneration last = address.lastOf(allocatingMesh, details);
            note(
                    last == null
                            ? Anomaly.Kind.UNKNOWN_FREE
                            : last.isLive() ? Anomaly.Kind.MISMATCHED_FREE : Anomaly.Kind.DOUBLE_FREE,
                    report,
                    last == null ? address.latest() : last);
            if (last != null && last.isLive() && details.view()) {
                earlyFreesOfViews.put(last, anomalies.get(anomalies.size() - 1));
            }
            return;
        }
        if (isClosed(device.openPeriods(), generation.allocatedBy()) && generation.kind() == BufferKind.BUFFER) {
            note(Anomaly.Kind.FREE_REPORTED_AFTER_CLOSE, report, generation);
        }
        int freed = generation.reportFreedBy(report, devicesByRequest);
        generations.freed(generation.reports().get(freed).allocatedAt(), position);
        generation.free(freed, report);
        if (!generation.holdsMemory()) {
            device.ranges().free(generation);
        }
        if (!generation.isLive()) {
            if (generation.allocatedAt() < lastCheckOrGap
                    || details.handleCollected()
                    || mayBeLate(generation, device, report.number())) {
                generations.keep(generation);
            }
            generations.ended(generation, position);
            address.ended(generation);
        }
    }

    /** Returns whether the close of the allocator may have begun before a free; that is known for certain later. */
    private boolean mayBeLate(BufferGeneration generation, Device device, long free) {
        MeshOpenPeriod itsMesh = generation.allocatedBy();
        return (itsMesh != null && itsMesh.closingAt() <= free)
                || meshes.closingOver(device.id(), free) < free
                || device.openPeriods().closingAfter(generation.allocatedAt()) <= free;
    }

    private void ignored(HistoryEvent.FreeIgnored report) {
        Anomaly.Kind kind = switch (report.reason()) {
            case ALREADY_FREED -> Anomaly.Kind.IGNORED_DOUBLE_FREE;
            case UNKNOWN_ADDRESS -> Anomaly.Kind.IGNORED_UNKNOWN_FREE;
            case DEVICE_CLOSED -> Anomaly.Kind.FREE_AFTER_CLOSE;
            case FREED_BY_ADDRESS -> Anomaly.Kind.FREED_BY_ADDRESS;
            // A free of one of several handles frees nothing, and of a failed one the caller knows.
            case STILL_SHARED, FAILED -> null;
        };
        if (kind == null) {
            return;
        }
        Device device = deviceOfFree(report);
        AddressGenerations address = device.addresses().find(report.type(), report.address());
        note(kind, report, generationOf(report, device, address));
    }

    private @Nullable BufferGeneration generationOf(
            HistoryEvent.FreeIgnored report, Device device, @Nullable AddressGenerations address) {
        if (address == null) {
            return null;
        }
        AllocationDetails details = report.details();
        if (report.reason() == IgnoredFreeReason.DEVICE_CLOSED) {
            return releasedAfterClose(address, details);
        }
        if (report.reason() == IgnoredFreeReason.FREED_BY_ADDRESS) {
            return address.freedBy(report.request());
        }
        return address.lastOf(allocatorOf(details, device), details);
    }

    /**
     * Returns the generation of a handle that is released after its device or mesh was closed.
     *
     * <p>A handle of a closed device is older than the device's current open period, whatever is at its address now. A
     * handle of a closed mesh is older than the mesh's current open period. It matches one generation that no other
     * handle matched, whose address was not reserved again, and which no snapshot lists as free. If several remain, the match is unknown.
     */
    private @Nullable BufferGeneration releasedAfterClose(AddressGenerations address, AllocationDetails details) {
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
                .filter(generation -> generation.isLive()
                        && generation.reservedAgainAt().isEmpty()
                        && !releasedLate.contains(generation))
                .filter(generation -> !snapshots.listsAsFree(generation))
                .toList();
        if (unclaimed.size() == 1) {
            releasedLate.add(unclaimed.get(0));
            return unclaimed.get(0);
        }
        return unclaimed.isEmpty() && !candidates.isEmpty() ? candidates.get(candidates.size() - 1) : null;
    }

    /**
     * Returns whether the allocator of a buffer was closed. If no opening of a mesh was reported, it may have been, unless the
     * buffer was allocated after its device was opened again.
     */
    private boolean mayBeOfClosedAllocator(BufferGeneration generation) {
        MeshOpenPeriod mesh = generation.allocatedBy();
        DeviceOpenPeriods openPeriods = devices.openPeriodsOf(generation.device());
        boolean isClosed = isClosed(openPeriods, mesh);
        if (mesh != null && mesh.isAnnounced()) {
            return isClosed;
        }
        return isClosed || generation.openPeriod() == 1 || generation.openPeriod() != openPeriods.now();
    }

    private static boolean isClosed(DeviceOpenPeriods device, @Nullable MeshOpenPeriod mesh) {
        return device.isClosed() || (mesh != null && mesh.isClosed());
    }

    private void note(Anomaly.Kind kind, HistoryEvent report, @Nullable BufferGeneration generation) {
        if (generation != null) {
            generations.keep(generation);
        }
        anomalies.add(Anomaly.of(kind, report, Optional.ofNullable(generation)));
    }
}
