package dev.meshguard.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * One generation of an address: the reports from its allocation to its last free.
 *
 * <p>An address does not identify a buffer, because it is reused, referenced by views and reported twice. Device, type,
 * address and {@link #generation()} together identify one. A device that is closed and opened again starts new
 * generations, even where the ledger still holds the old one. So does another allocator: two meshes, or a mesh and one
 * of its devices, that reserve one address hold two buffers.
 *
 * <p>Immutable once its history is complete, and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class BufferGeneration {

    /**
     * One report of the memory, and its free.
     *
     * @param allocatedAt the number of the allocation event
     * @param request the request it was part of
     * @param device the device it named, which a mesh that does not lie over it may report for another
     * @param size the size it named, in bytes
     * @param ownership whether the reporting object owned the memory
     * @param freedAt the number of the event that freed it, if one did
     * @param release the request that freed it, if one did
     */
    public record Report(
            long allocatedAt,
            MemoryRequest request,
            int device,
            long size,
            Ownership ownership,
            OptionalLong freedAt,
            Optional<MemoryRequest> release) {

        private static Report of(HistoryEvent.Allocated report) {
            return new Report(
                    report.number(),
                    report.request(),
                    report.device(),
                    report.size(),
                    report.ownership(),
                    OptionalLong.empty(),
                    Optional.empty());
        }

        private Report withSize(long newSize) {
            return new Report(allocatedAt, request, device, newSize, ownership, freedAt, release);
        }

        private Report freedBy(HistoryEvent.Freed free) {
            return new Report(
                    allocatedAt,
                    request,
                    device,
                    size,
                    ownership,
                    OptionalLong.of(free.number()),
                    Optional.of(free.request()));
        }

        /** Returns the details of the request. */
        public AllocationDetails details() {
            return request.details();
        }

        /** Returns whether no free matched this report. */
        public boolean isOpen() {
            return freedAt.isEmpty();
        }

        /** Returns whether its handle was garbage collected; else a call freed it, or none did. */
        public boolean isCollected() {
            return release.filter(free -> free.details().handleCollected()).isPresent();
        }

        /** Returns whether another report is of the same request; of anonymous ones that is not known. */
        public boolean isOfOneRequestWith(Report other) {
            return request.equals(other.request) && !request.isAnonymous();
        }

        /** Returns whether it was open at the event of a number. */
        public boolean wasOpenAt(long event) {
            return allocatedAt < event && freedAt.orElse(Long.MAX_VALUE) > event;
        }
    }

    /**
     * An interval in which a buffer held memory of one size.
     *
     * @param buffer the buffer
     * @param size its size in the interval, in bytes
     * @param from the number of the event that allocated or resized it
     * @param until the number of the event that resized or freed it, or {@link Long#MAX_VALUE}
     */
    public record HoldInterval(BufferGeneration buffer, long size, long from, long until) {}

    /**
     * A change of the reference count.
     *
     * @param event the number of the event that changed it
     * @param before the count before
     * @param after the count after
     * @param reason why it changed
     * @param ownership whether the object of the report owns the memory: for a free, that of the matching report
     * @param request the request that changed it: its details name the owner, its origin the line of code
     */
    public record CountChange(
            long event, int before, int after, Reason reason, Ownership ownership, MemoryRequest request) {

        /** The reason why a reference count changes. */
        public enum Reason {
            /** The first report of the memory: a generation begins. */
            ALLOCATED,
            /** Another report of live memory. */
            REPORTED_AGAIN,
            /** The free of one of several reports. */
            RELEASED,
            /** The free of the last open report: the generation ends. */
            FREED
        }

        private static CountChange of(long event, Report report, int before) {
            if (event == report.allocatedAt()) {
                Reason reason = before == 0 ? Reason.ALLOCATED : Reason.REPORTED_AGAIN;
                return new CountChange(event, before, before + 1, reason, report.ownership(), report.request());
            }
            Reason reason = before == 1 ? Reason.FREED : Reason.RELEASED;
            MemoryRequest release = report.release().orElseThrow();
            return new CountChange(event, before, before - 1, reason, report.ownership(), release);
        }
    }

    private final int device;
    private final BufferType type;
    private final long address;
    private final int generation;
    private final int openPeriod;
    private final Phase allocatedIn;
    private @Nullable MeshOpenPeriod allocatedBy;
    private Optional<AllocatorId> allocator = Optional.empty();
    private final List<Report> reports = new ArrayList<>(1);
    /** The intervals before the last change of the size. */
    private List<HoldInterval> resized = List.of();

    private int open;
    private long lastFree;
    private long reservedAgainAt;
    private long viewed;

    BufferGeneration(
            int device,
            BufferType type,
            long address,
            int generation,
            int openPeriod,
            Phase allocatedIn,
            @Nullable MeshOpenPeriod allocatedBy) {
        this.device = device;
        this.type = type;
        this.address = address;
        this.generation = generation;
        this.openPeriod = openPeriod;
        this.allocatedIn = allocatedIn;
        this.allocatedBy = allocatedBy;
    }

    /** Returns the device id, or {@link HistoryEvent#NO_DEVICE}. */
    public int device() {
        return device;
    }

    /** Returns whether the memory belongs to a device; without one, {@link #address()} is only its number. */
    public boolean hasDevice() {
        return device != HistoryEvent.NO_DEVICE;
    }

    /** Returns whether {@link #size()} is unknown. */
    public boolean isOfUnknownSize() {
        return !hasDevice() && size() == 0;
    }

    /** Returns the memory. */
    public BufferType type() {
        return type;
    }

    /** Returns the first address, in bytes. */
    public long address() {
        return address;
    }

    /** Returns the number of this generation at its address, from 1. */
    public int generation() {
        return generation;
    }

    /**
     * Returns the open period of its device in which the buffer was allocated, from 1; it increases each time the
     * device is opened.
     */
    public int openPeriod() {
        return openPeriod;
    }

    /**
     * Returns the mesh whose allocator reserved the memory, if every open report names it; for an ended generation, if
     * any report did.
     */
    public OptionalInt mesh() {
        boolean isUnnamed = reports.stream()
                .anyMatch(report -> report.isOpen() && report.details().mesh().isEmpty());
        return allocatedBy == null || isUnnamed ? OptionalInt.empty() : OptionalInt.of(allocatedBy.mesh());
    }

    /** Returns the allocator over its device that reserved the memory, if any report names it. */
    public Optional<AllocatorId> allocator() {
        return allocator;
    }

    /**
     * Returns the number of the report by which the allocator reserved the address for another request while a report
     * of this generation was open.
     *
     * <p>An allocator never reserves allocated memory, so the memory had been freed by then.
     */
    public OptionalLong reservedAgainAt() {
        return reservedAgainAt == 0 ? OptionalLong.empty() : OptionalLong.of(reservedAgainAt);
    }

    /**
     * Returns the number of the report of the buffer inside which this one lies, if it is a view of a part of that
     * buffer. Empty for an ended generation.
     */
    public OptionalLong viewedReport() {
        return viewed == 0 || !isLive() ? OptionalLong.empty() : OptionalLong.of(viewed);
    }

    /** Returns the size that the first report named, in bytes; of memory that belongs to no device, the last size. */
    public long size() {
        return reports.get(0).size();
    }

    /**
     * Returns the interval of each size, one after the other: several only for memory that belongs to no device.
     *
     * @param end the number of the event that ended it, or {@link Long#MAX_VALUE}; none if that is before its allocation
     */
    public List<HoldInterval> holdIntervals(long end) {
        List<HoldInterval> intervals = new ArrayList<>(resized);
        intervals.add(new HoldInterval(this, size(), lastSizedAt(), end));
        intervals.removeIf(interval -> interval.from() >= end);
        intervals.replaceAll(interval ->
                interval.until() <= end ? interval : new HoldInterval(this, interval.size(), interval.from(), end));
        return intervals;
    }

    private long lastSizedAt() {
        return resized.isEmpty()
                ? allocatedAt()
                : resized.get(resized.size() - 1).until();
    }

    /** Returns the phase of the first report. */
    public Phase allocatedIn() {
        return allocatedIn;
    }

    /** Returns every report of this memory, oldest first; at least one. */
    public List<Report> reports() {
        return Collections.unmodifiableList(reports);
    }

    /**
     * Returns every change of the reference count, oldest first, with its request and reason. It is the count of
     * {@link CountingPolicy#REFERENCE_COUNTED}.
     */
    public List<CountChange> referenceCounts() {
        SortedMap<Long, Report> steps = new TreeMap<>();
        for (Report report : reports) {
            steps.put(report.allocatedAt(), report);
            report.freedAt().ifPresent(event -> steps.put(event, report));
        }
        List<CountChange> changes = new ArrayList<>(steps.size());
        steps.forEach((event, report) -> changes.add(CountChange.of(
                event,
                report,
                changes.isEmpty() ? 0 : changes.get(changes.size() - 1).after())));
        return changes;
    }

    /** Returns how many reports have no matching free. */
    public int openReports() {
        return open;
    }

    /** Returns whether any report is open. */
    public boolean isLive() {
        return open > 0;
    }

    /** Returns the number of the first report. */
    public long allocatedAt() {
        return reports.get(0).allocatedAt();
    }

    /** Returns the number of the latest report without a matching free, if there is one. */
    public OptionalLong lastOpenReportAt() {
        return reports.stream()
                .filter(Report::isOpen)
                .mapToLong(Report::allocatedAt)
                .max();
    }

    /** Returns the number of the free that ended the generation, if it ended. */
    public OptionalLong freedAt() {
        return isLive() ? OptionalLong.empty() : OptionalLong.of(lastFree);
    }

    /** Returns whether it was collected, and its library leaves that to the garbage collector: no line of code freed it. */
    @API(status = Status.INTERNAL)
    public boolean isLeftToCollector() {
        return isCollected() && request().details().freedOnCollection();
    }

    /** Returns whether the generation ended because its handle was garbage collected, not by a call. */
    public boolean isCollected() {
        return !isLive()
                && reports.stream()
                        .filter(report -> report.freedAt().orElseThrow() == lastFree)
                        .anyMatch(Report::isCollected);
    }

    /** Returns the request of the first report. */
    public MemoryRequest request() {
        return reports.get(0).request();
    }

    /**
     * Returns the kind, which decides whether the allocator knows the buffer.
     *
     * <p>Kind, lifetime, owner, label, process and origin are those of the oldest open report, because that one remains where
     * several reports share an address. For an ended generation they are those of the first report.
     */
    public BufferKind kind() {
        return details().kind();
    }

    /** Returns who frees it. */
    public BufferLifetime lifetime() {
        return details().lifetime();
    }

    /** Returns the owner that it was allocated for, if known. */
    public Optional<Owner> owner() {
        return details().owner();
    }

    /** Returns the purpose that the code under test gave, if any. */
    public Optional<String> label() {
        return details().label();
    }

    /** Returns the process that reported it, if it is another one. */
    public OptionalLong processId() {
        return details().processId();
    }

    /** Returns the place that requested it, if it was captured. */
    public Optional<Origin> origin() {
        return remaining().request().origin();
    }

    /** Returns the reports without a matching free, oldest first. */
    public List<Report> reportsRemaining() {
        if (open == reports.size()) {
            return reports();
        }
        return reports.stream().filter(Report::isOpen).toList();
    }

    /** Returns whether both generations have the same address, device and memory, and may belong to one allocator. */
    public boolean hasSameAddressAs(BufferGeneration other) {
        return device == other.device
                && type == other.type
                && address == other.address
                && AllocatorId.mayBeOne(allocator, other.allocator);
    }

    /** Returns the identity: {@code DRAM 0x271020 (2560032) on device 3, generation 2}. */
    @Override
    public String toString() {
        return type + " " + HistoryEvent.addressOn(device, address) + (hasDevice() ? ", generation " + generation : "");
    }

    private AllocationDetails details() {
        return remaining().details();
    }

    private Report remaining() {
        for (Report report : reports) {
            if (report.isOpen()) {
                return report;
            }
        }
        return reports.get(0);
    }

    /** Returns whether a report with such details may be about this generation, as far as allocators are named. */
    boolean mayBeOf(AllocationDetails reported) {
        return request().details().mayBeInAllocatorOf(reported, allocator);
    }

    /**
     * Returns whether a request reserves the address again: the same allocator reserved it for another request before.
     * Views and circular buffers reserve nothing.
     */
    boolean isReservedAgainBy(MemoryRequest request, @Nullable MeshOpenPeriod mesh) {
        if (!isReservation(request)
                || allocatedBy != mesh
                || !allocator.equals(request.details().allocator())) {
            return false;
        }
        return reports.stream().noneMatch(report -> report.request() == request)
                && reports.stream().anyMatch(report -> isReservation(report.request()));
    }

    private static boolean isReservation(MemoryRequest request) {
        AllocationDetails details = request.details();
        return details.allocator().isPresent() && details.kind() == BufferKind.BUFFER && !details.view();
    }

    void reservedAgain(long event) {
        reservedAgainAt = event;
    }

    void setViewed(long report) {
        viewed = report;
    }

    /**
     * Returns the devices that hold the memory: its own or, if its mesh does not cover that, those of the mesh, whose object was
     * reported under the number of a device.
     */
    @API(status = Status.INTERNAL, since = "0.1")
    public List<Integer> memoryDevices() {
        return allocatedBy != null && !allocatedBy.mayAllocate(device) && mesh().isPresent()
                ? allocatedBy.description().orElseThrow().devices()
                : List.of(device);
    }

    /** Returns the open period of the mesh that allocated the memory, if any report named it. */
    @Nullable
    MeshOpenPeriod allocatedBy() {
        return allocatedBy;
    }

    /** Sets the mesh that a report names as allocator of the memory. */
    void setAllocatedBy(MeshOpenPeriod mesh) {
        allocatedBy = mesh;
    }

    /** Returns whether its device's own allocator reserved the memory, which belongs to no mesh. */
    boolean isOfItsDevice() {
        return allocator.filter(AllocatorId.DEVICE::equals).isPresent();
    }

    /** Returns whether any open report is about memory of an allocator. */
    boolean holdsMemory() {
        for (Report report : reports) {
            if (report.isOpen() && report.details().kind() == BufferKind.BUFFER) {
                return true;
            }
        }
        return false;
    }

    /** Changes the size of memory that has one report. */
    void resized(HistoryEvent.Allocated report) {
        HoldInterval before = new HoldInterval(this, size(), lastSizedAt(), report.number());
        if (resized.isEmpty()) {
            resized = new ArrayList<>(1);
        }
        resized.add(before);
        reports.set(0, reports.get(0).withSize(report.size()));
    }

    void report(HistoryEvent.Allocated report) {
        if (allocator.isEmpty()) {
            allocator = report.details().allocator();
            // A device's own allocator belongs to no mesh.
            allocatedBy = isOfItsDevice() ? null : allocatedBy;
        }
        reports.add(Report.of(report));
        open++;
    }

    /** Returns whether a release may match an open report. The end of a view ends no buffer. */
    boolean mayBeReleasedBy(AllocationDetails released) {
        if (released.view() && open == 1 && isLastOfBuffer()) {
            return false;
        }
        for (Report report : reports) {
            if (isReleasedBy(report, released)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the last open report is of the buffer itself: only views were released before. */
    private boolean isLastOfBuffer() {
        return reports.stream()
                .allMatch(report -> report.isOpen() != isOfView(report.release().orElse(report.request())));
    }

    private static boolean isOfView(MemoryRequest request) {
        return request.details().view();
    }

    private static boolean isReleasedBy(Report report, AllocationDetails released) {
        return report.isOpen() && report.details().mayBeFreedBy(released);
    }

    /** Returns how well a free fits the open report that it fits best. */
    int fit(HistoryEvent.Freed free) {
        int best = 0;
        for (Report report : reports) {
            if (isReleasedBy(report, free.details())) {
                best = Math.max(best, fit(report, free));
            }
        }
        return best;
    }

    /**
     * Returns the index of the open report that matches a free best, by process, view, mesh, owner and ownership.
     *
     * <p>Of one request it is the latest of equal matches. Of several it is (1) a report on the same devices as the free;
     * (2) if the requests name no mesh, the latest; (3) a report of a request without any freed report, because the others may
     * be doubled reports; (4) the oldest, because no allocator reuses an address before it is freed.
     */
    int reportFreedBy(HistoryEvent.Freed free, DevicesByRequest devices) {
        int best = -1;
        for (int i = 0; i < reports.size(); i++) {
            if (isReleasedBy(reports.get(i), free.details())
                    && (best < 0 || goesFirst(reports.get(i), reports.get(best), free, devices))) {
                best = i;
            }
        }
        return best;
    }

    /** Returns whether its open reports may be doubled ones: of each request another report was freed. */
    boolean isDoubled() {
        return reports.stream().allMatch(report -> !report.isOpen() || isPartlyFreed(report.request()));
    }

    /** Frees a report. */
    void free(int index, HistoryEvent.Freed free) {
        reports.set(index, reports.get(index).freedBy(free));
        open--;
        lastFree = Math.max(lastFree, free.number());
    }

    /** Returns whether a later report is to be freed before an earlier one. */
    private boolean goesFirst(Report later, Report earlier, HistoryEvent.Freed free, DevicesByRequest devices) {
        int fit = Integer.compare(fit(later, free), fit(earlier, free));
        if (fit != 0) {
            return fit > 0;
        }
        if (later.request().equals(earlier.request())) {
            return later.device() == free.device() || earlier.device() != free.device();
        }
        boolean sameDevices = devices.areAlike(later.request(), free.request());
        if (sameDevices != devices.areAlike(earlier.request(), free.request())) {
            return sameDevices;
        }
        if (later.details().mesh().isEmpty()) {
            return true;
        }
        return isPartlyFreed(earlier.request()) && !isPartlyFreed(later.request());
    }

    private boolean isPartlyFreed(MemoryRequest request) {
        return reports.stream()
                .anyMatch(report -> !report.isOpen() && report.request().equals(request));
    }

    private static int fit(Report report, HistoryEvent.Freed free) {
        AllocationDetails reported = report.details();
        AllocationDetails released = free.details();
        return (released.extent().isPresent() && reported.extent().equals(released.extent()) ? 1 : 0)
                + (report.ownership() == free.ownership() ? 2 : 0)
                + (reported.owner().equals(released.owner()) ? 4 : 0)
                + (released.mesh().isPresent() && reported.mesh().equals(released.mesh()) ? 8 : 0)
                + (released.allocator().isPresent() && reported.allocator().equals(released.allocator()) ? 8 : 0)
                + (released.processId().isPresent() && reported.processId().equals(released.processId()) ? 64 : 0)
                + (reported.view() == released.view() ? 32 : 0);
    }
}
