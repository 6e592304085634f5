package dev.meshguard.mesh;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.handle.EndOfPath;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One piece of device memory behind a buffer.
 *
 * <p>Kept excluding the handle that the code under test holds, so that nothing in the runtime keeps a forgotten handle
 * reachable. Whether it is freed may be read on any thread and changes under the lock of its mesh.
 */
@EndOfPath
final class Allocation {

    /** Who stands behind the memory, which decides what is reported of it. */
    enum Kind {
        /** Memory of the mesh's own allocator, at the same address on every device. */
        LOCK_STEP,
        /** Memory of one device's allocator. */
        ON_ONE_DEVICE,
        /** An address on some devices that something else owns. */
        VIEW,
        /** An address that something else owns, pointed to by a buffer of the mesh itself. */
        VIEW_ON_MESH;

        /** How many buffers there are: a lock-step one has a backing buffer of the mesh besides those of the devices. */
        int buffers(int devices) {
            return switch (this) {
                case LOCK_STEP -> 1 + devices;
                case VIEW -> devices;
                case ON_ONE_DEVICE, VIEW_ON_MESH -> 1;
            };
        }
    }

    /** How a buffer comes to its end. */
    enum ReleaseReason {
        /** The code under test gave it back. */
        DEALLOCATED,
        /** What held it died. */
        DIED,
        /** Nobody had a handle to it any more, and the last one was collected. */
        COLLECTED
    }

    private final long firstId;
    private final Kind kind;
    private final AllocationDetails details;
    private final List<Integer> devices;
    private final BufferType type;
    private final long address;
    private final long size;
    private final @Nullable Allocator allocator;
    private volatile boolean freed;
    private volatile @Nullable AllocationRequest freedBy;
    private volatile @Nullable BufferState openPeriod;
    /** Kept only until somebody has the handle. */
    private @Nullable AllocationRequest request;

    private Allocation(
            long firstId,
            Kind kind,
            AllocationDetails details,
            List<Integer> devices,
            BufferType type,
            long address,
            long size,
            @Nullable Allocator lender) {
        this.firstId = firstId;
        this.kind = kind;
        this.details = details;
        this.devices = devices;
        this.type = type;
        this.address = address;
        this.size = size;
        this.allocator = lender;
    }

    static Allocation allocated(
            long firstId,
            Kind kind,
            AllocationDetails details,
            List<Integer> devices,
            BufferConfig config,
            long address,
            Allocator lender) {
        return new Allocation(firstId, kind, details, devices, config.type(), address, config.size(), lender);
    }

    /** A buffer without content: it has no address, and neither allocators nor listeners hear of it. */
    static Allocation empty(
            long firstId, Kind kind, AllocationDetails details, List<Integer> devices, BufferConfig config) {
        return new Allocation(firstId, kind, details, devices, config.type(), 0, 0, null);
    }

    static Allocation view(
            long firstId,
            Kind kind,
            AllocationDetails details,
            List<Integer> devices,
            BufferConfig config,
            long address) {
        return new Allocation(firstId, kind, details, devices, config.type(), address, config.size(), null);
    }

    /** The number of the backing buffer, or else of the first device's buffer; those of the other devices follow. */
    long firstId() {
        return firstId;
    }

    /** The number of the buffer on one of the devices, by its place among them. */
    long idOnDevice(int index) {
        return kind == Kind.LOCK_STEP ? firstId + 1 + index : firstId + index;
    }

    Kind kind() {
        return kind;
    }

    AllocationDetails details() {
        return details;
    }

    List<Integer> devices() {
        return devices;
    }

    BufferType type() {
        return type;
    }

    long address() {
        return address;
    }

    long size() {
        return size;
    }

    boolean isFreed() {
        return freed;
    }

    void markFreed() {
        freed = true;
    }

    /** Marks it as freed, and remembers the request that freed it: it may know where in the code under test that was. */
    void markFreed(AllocationRequest release) {
        freedBy = release;
        freed = true;
    }

    /**
     * Returns the end of a sentence that says it was freed: the frame that freed it, in a line of its own, or how to learn of it.
     * Empty where nobody was asked to free it.
     */
    String siteOfFree() {
        AllocationRequest release = freedBy;
        if (release == null) {
            return "";
        }
        return release.origin()
                .flatMap(Origin::site)
                .or(() -> openPeriod().flatMap(BufferState::lastSite))
                .map(site -> "\n   at " + site)
                .orElse("; a tracker with OriginCapture.ALLOCATIONS_AND_FREES shows where");
    }

    /** Remembers by which request it was reported, until its handle is handed out. */
    void reportedBy(AllocationRequest reporting) {
        request = reporting;
    }

    Optional<AllocationRequest> takeRequest() {
        AllocationRequest taken = request;
        request = null;
        return Optional.ofNullable(taken);
    }

    /** Remembers from now on what happens to it; only a strict runtime does. */
    void beginOpenPeriod(BufferState newLife) {
        openPeriod = newLife;
    }

    Optional<BufferState> openPeriod() {
        return Optional.ofNullable(openPeriod);
    }

    /** The allocator that has to get the memory back, unless it is only pointed to. */
    Optional<Allocator> allocator() {
        return Optional.ofNullable(allocator);
    }
}
