package dev.meshguard.tracker.history;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.tracker.AllocationRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * One life of one address: what happened from the first report at an address to the last free.
 *
 * <p>An address is no identity, because it is used again, pointed to by views and reported twice; device, type, address
 * and {@link #generation()} together are one. A device that was closed and opened again starts new generations even
 * where the books still hold the old one, and so does another allocator: what two meshes, or a mesh and a device of it,
 * reserve at one address are two buffers.
 *
 * <p>Immutable once its history is made, and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class BufferGeneration {

    /**
     * One report of the memory, and the report that took it back.
     *
     * @param allocatedAt the number of the allocation event
     * @param request the request it was part of
     * @param size the size it named, in bytes
     * @param ownership whether the reporting object owned the memory
     * @param freedAt the number of the event that freed it, if one did
     * @param release the request that freed it, if one did
     */
    public record Report(
            long allocatedAt,
            AllocationRequest request,
            long size,
            Ownership ownership,
            OptionalLong freedAt,
            Optional<AllocationRequest> release) {

        /** Returns whether no free took this report back. */
        public boolean isOpen() {
            return freedAt.isEmpty();
        }
    }

    /**
     * A step of the reference count.
     *
     * @param event the number of the event that changed it
     * @param before the count before
     * @param after the count after
     * @param reason why it changed
     * @param ownership whether the object of the report owns the memory: of a free, that of the report it takes back
     * @param request who changed it: its details name the owner, its origin the line of code
     */
    public record CountChange(
            long event, int before, int after, Reason reason, Ownership ownership, AllocationRequest request) {

        /** Why a reference count changes. */
        public enum Reason {
            /** The first report of the memory: a life begins. */
            ALLOCATED,
            /** Another report of memory that is live. */
            REPORTED_AGAIN,
            /** A free that takes one of several reports back. */
            RELEASED,
            /** The free that takes the last open report back: the life ends. */
            FREED
        }

        private static CountChange up(Report report, int before) {
            return new CountChange(
                    report.allocatedAt(),
                    before,
                    before + 1,
                    before == 0 ? Reason.ALLOCATED : Reason.REPORTED_AGAIN,
                    report.ownership(),
                    report.request());
        }

        private static CountChange down(Report report, int before) {
            return new CountChange(
                    report.freedAt().orElseThrow(),
                    before,
                    before - 1,
                    before == 1 ? Reason.FREED : Reason.RELEASED,
                    report.ownership(),
                    report.release().orElseThrow());
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
    private int open;
    private long lastFree;
    private long reservedAgainAt;

    BufferGeneration(
            int device,
            BufferType type,
            long address,
            int generation,
            int deviceLife,
            Phase bornIn,
            @Nullable MeshOpenPeriod lender) {
        this.device = device;
        this.type = type;
        this.address = address;
        this.generation = generation;
        this.openPeriod = deviceLife;
        this.allocatedIn = bornIn;
        this.allocatedBy = lender;
    }

    /** Returns the device id. */
    public int device() {
        return device;
    }

    /** Returns the memory. */
    public BufferType type() {
        return type;
    }

    /** Returns the first address, in bytes. */
    public long address() {
        return address;
    }

    /** Returns which life of the address this is, from 1. */
    public int generation() {
        return generation;
    }

    /** Returns in which life of its device the buffer was born, from 1; it grows each time the device is opened. */
    public int openPeriod() {
        return openPeriod;
    }

    /**
     * Returns the mesh whose allocator lent the memory, if every report that is still open says so; of a life that ended, if any
     * report did.
     */
    public OptionalInt mesh() {
        MeshOpenPeriod known = allocatedBy;
        if (known == null) {
            return OptionalInt.empty();
        }
        for (Report report : reports) {
            if (report.isOpen() && report.request().details().mesh().isEmpty()) {
                return OptionalInt.empty();
            }
        }
        return OptionalInt.of(known.mesh());
    }

    /** Returns which of the allocators over its device reserved the memory, if any report says so. */
    public Optional<AllocatorId> allocator() {
        return allocator;
    }

    /**
     * Returns the number of the report by which the allocator reserved the address for another request, if it did while a report of
     * this life was open: no allocator reserves what it has not got back, so the memory had been freed by then.
     */
    public OptionalLong reservedAgainAt() {
        return reservedAgainAt == 0 ? OptionalLong.empty() : OptionalLong.of(reservedAgainAt);
    }

    /** Returns the size that the first report named, in bytes. */
    public long size() {
        return reports.get(0).size();
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
     * Returns every step of the reference count, oldest first: what {@link CountingPolicy#REFERENCE_COUNTED} counts for
     * this life, with who changed it and why.
     *
     * <p>Where the past is not kept there are only the reports that are still open.
     */
    public List<CountChange> referenceCounts() {
        SortedMap<Long, IntFunction<CountChange>> steps = new TreeMap<>();
        for (Report report : reports) {
            steps.put(report.allocatedAt(), count -> CountChange.up(report, count));
            report.freedAt().ifPresent(event -> steps.put(event, count -> CountChange.down(report, count)));
        }
        List<CountChange> changes = new ArrayList<>(steps.size());
        int count = 0;
        for (IntFunction<CountChange> step : steps.values()) {
            CountChange change = step.apply(count);
            changes.add(change);
            count = change.after();
        }
        return changes;
    }

    /** Returns how many reports no free has taken back. */
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

    /** Returns the number of the latest report that no free has taken back, if there is one. */
    public OptionalLong lastOpenReportAt() {
        for (int i = reports.size() - 1; i >= 0; i--) {
            if (reports.get(i).isOpen()) {
                return OptionalLong.of(reports.get(i).allocatedAt());
            }
        }
        return OptionalLong.empty();
    }

    /** Returns the number of the free that ended the life, if it ended. */
    public OptionalLong freedAt() {
        return isLive() ? OptionalLong.empty() : OptionalLong.of(lastFree);
    }

    /** Returns whether the free that ended the life was none that somebody called for: its handle was collected. */
    public boolean isCollected() {
        if (isLive()) {
            return false;
        }
        for (Report report : reports) {
            if (report.freedAt().orElseThrow() == lastFree
                    && report.release().orElseThrow().details().handleCollected()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the request of the first report. */
    public AllocationRequest request() {
        return reports.get(0).request();
    }

    /**
     * Returns whether the allocator knows the buffer.
     *
     * <p>This, lifetime, owner, label and origin are those of the oldest report that is still open, because that is what is
     * left where several things were reported at one address; of a life that ended, those of the first.
     */
    public BufferKind kind() {
        return details().kind();
    }

    /** Returns who frees it. */
    public BufferLifetime lifetime() {
        return details().lifetime();
    }

    /** Returns on whose behalf it was allocated, if that is known. */
    public Optional<Owner> owner() {
        return details().owner();
    }

    /** Returns what the code under test says it is for, if it says so. */
    public Optional<String> label() {
        return details().label();
    }

    /** Returns where it was asked for, if that was captured. */
    public Optional<Origin> origin() {
        return remaining().request().origin();
    }

    /** Returns the reports that no free has taken back, oldest first. */
    public List<Report> reportsRemaining() {
        if (open == reports.size()) {
            return reports();
        }
        List<Report> left = new ArrayList<>(open);
        for (Report report : reports) {
            if (report.isOpen()) {
                left.add(report);
            }
        }
        return Collections.unmodifiableList(left);
    }

    /** Returns whether the two lives are of the same address of the same device and memory, and may be of one allocator. */
    public boolean hasSameAddressAs(BufferGeneration other) {
        return device == other.device
                && type == other.type
                && address == other.address
                && AllocatorId.mayBeOne(allocator, other.allocator);
    }

    /** Returns the identity: {@code DRAM 0x271020 (2560032) on device 3, generation 2}. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s %s on device %d, generation %d",
                type,
                Quantities.address(address),
                device,
                generation);
    }

    private AllocationDetails details() {
        return remaining().request().details();
    }

    private Report remaining() {
        if (isLive()) {
            for (Report report : reports) {
                if (report.isOpen()) {
                    return report;
                }
            }
        }
        return reports.get(0);
    }

    /**
     * Returns whether a report with such details may be about this life, as far as allocators tell: it names the same one, or one of
     * the two names none. A circular buffer lies in no allocator, so what a named one reserved is no circular buffer.
     */
    boolean mayBeOf(AllocationDetails reported) {
        boolean isCircular = !reports.isEmpty() && request().details().kind() == BufferKind.CIRCULAR_BUFFER;
        boolean reportsCircular = reported.kind() == BufferKind.CIRCULAR_BUFFER;
        if (isCircular || reportsCircular) {
            return (isCircular && reportsCircular)
                    || (allocator.isEmpty() && reported.allocator().isEmpty());
        }
        return AllocatorId.mayBeOne(allocator, reported.allocator());
    }

    /**
     * Returns whether a request reserves the address anew: the same allocator reserved it for another request before. Views and
     * circular buffers reserve nothing.
     */
    boolean isReservedAgainBy(AllocationRequest request, @Nullable MeshOpenPeriod mesh) {
        if (!isReservation(request)
                || allocatedBy != mesh
                || !allocator.equals(request.details().allocator())) {
            return false;
        }
        boolean isReserved = false;
        for (Report report : reports) {
            if (report.request() == request) {
                return false;
            }
            isReserved |= isReservation(report.request());
        }
        return isReserved;
    }

    private static boolean isReservation(AllocationRequest request) {
        AllocationDetails details = request.details();
        return details.allocator().isPresent() && details.kind() == BufferKind.BUFFER && !details.view();
    }

    void reservedAgain(long event) {
        reservedAgainAt = event;
    }

    /** Returns which opening of a mesh lent the memory, if any report said so. */
    @Nullable
    MeshOpenPeriod allocatedBy() {
        return allocatedBy;
    }

    /** A report says which mesh lent the memory. */
    void setAllocatedBy(MeshOpenPeriod mesh) {
        allocatedBy = mesh;
    }

    /** Returns whether its device's own allocator reserved the memory, which belongs to no mesh. */
    boolean isOfItsDevice() {
        return allocator.filter(AllocatorId.DEVICE::equals).isPresent();
    }

    /** Returns whether any open report is of memory that an allocator lent. */
    boolean holdsMemory() {
        for (Report report : reports) {
            if (report.isOpen() && report.request().details().kind() == BufferKind.BUFFER) {
                return true;
            }
        }
        return false;
    }

    void report(long event, AllocationRequest request, long size, Ownership ownership) {
        if (allocator.isEmpty()) {
            allocator = request.details().allocator();
            // A device's own allocator belongs to no mesh.
            allocatedBy = isOfItsDevice() ? null : allocatedBy;
        }
        reports.add(new Report(event, request, size, ownership, OptionalLong.empty(), Optional.empty()));
        open++;
    }

    /** Returns whether a release may be that of a report that is open: what takes another extent in its bank is another buffer. */
    boolean mayBeReleasedBy(AllocationDetails released) {
        for (Report report : reports) {
            if (report.isOpen()) {
                OptionalLong extent = report.request().details().extent();
                if (extent.isEmpty() || released.extent().isEmpty() || extent.equals(released.extent())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns how well a free fits the open report that it fits best. */
    int fit(AllocationRequest release, Ownership ownership) {
        int best = 0;
        for (Report report : reports) {
            if (report.isOpen()) {
                best = Math.max(best, fit(report, release, ownership));
            }
        }
        return best;
    }

    /**
     * Takes back the open report that fits the free best: the same process, mesh, owner and ownership. Of those that fit alike, one
     * that was reported on the same devices as the free; then one of a request of which none was taken back yet goes first, because the others may be doubled reports; then the oldest request, because
     * no allocator lends an address again before it was given back; then the latest report of it.
     */
    void free(long event, AllocationRequest release, Ownership ownership, DevicesByRequest footprints) {
        int best = -1;
        for (int i = 0; i < reports.size(); i++) {
            if (reports.get(i).isOpen() && (best < 0 || goesFirst(i, best, release, ownership, footprints))) {
                best = i;
            }
        }
        Report report = reports.get(best);
        reports.set(
                best,
                new Report(
                        report.allocatedAt(),
                        report.request(),
                        report.size(),
                        report.ownership(),
                        OptionalLong.of(event),
                        Optional.of(release)));
        open--;
        lastFree = event;
    }

    /** Returns whether a later report is rather taken back than an earlier one. */
    private boolean goesFirst(
            int later, int earlier, AllocationRequest release, Ownership ownership, DevicesByRequest footprints) {
        Report one = reports.get(later);
        Report other = reports.get(earlier);
        int fit = Integer.compare(fit(one, release, ownership), fit(other, release, ownership));
        if (fit != 0) {
            return fit > 0;
        }
        if (one.request().equals(other.request())) {
            return true;
        }
        boolean sameDevices = footprints.areAlike(one.request(), release);
        if (sameDevices != footprints.areAlike(other.request(), release)) {
            return sameDevices;
        }
        boolean oneAllocator = one.request().details().mesh().isPresent();
        if (!oneAllocator) {
            return true;
        }
        return isPartlyFreed(other.request()) && !isPartlyFreed(one.request());
    }

    private boolean isPartlyFreed(AllocationRequest request) {
        for (Report report : reports) {
            if (!report.isOpen() && report.request().equals(request)) {
                return true;
            }
        }
        return false;
    }

    private static int fit(Report report, AllocationRequest release, Ownership ownership) {
        AllocationDetails reported = report.request().details();
        AllocationDetails released = release.details();
        return (released.extent().isPresent() && reported.extent().equals(released.extent()) ? 1 : 0)
                + (report.ownership() == ownership ? 2 : 0)
                + (reported.owner().equals(released.owner()) ? 4 : 0)
                + (released.mesh().isPresent() && reported.mesh().equals(released.mesh()) ? 8 : 0)
                + (released.allocator().isPresent() && reported.allocator().equals(released.allocator()) ? 8 : 0)
                + (released.processId().isPresent() && reported.processId().equals(released.processId()) ? 16 : 0);
    }
}
