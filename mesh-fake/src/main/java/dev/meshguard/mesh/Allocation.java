package dev.meshguard.mesh;

import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.BufferType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One piece of device memory behind a buffer.
 *
 * <p>Kept apart from the handle that the code under test holds, so that nothing in the runtime keeps a forgotten handle
 * reachable. Whether it is freed may be read on any thread and changes under the lock of its mesh.
 */
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
        VIEW_ON_MESH
    }

    /** How a buffer comes to its end. */
    enum Ending {
        /** The code under test gave it back. */
        DEALLOCATED,
        /** What held it died. */
        DIED,
        /** Nobody had a handle to it any more, and the last one was collected. */
        COLLECTED
    }

    private final Kind kind;
    private final AllocationDetails details;
    private final List<Integer> devices;
    private final BufferType type;
    private final long address;
    private final long size;
    private final @Nullable Allocator lender;
    private volatile boolean freed;

    private Allocation(
            Kind kind,
            AllocationDetails details,
            List<Integer> devices,
            BufferType type,
            long address,
            long size,
            @Nullable Allocator lender) {
        this.kind = kind;
        this.details = details;
        this.devices = devices;
        this.type = type;
        this.address = address;
        this.size = size;
        this.lender = lender;
    }

    static Allocation lent(
            Kind kind,
            AllocationDetails details,
            List<Integer> devices,
            BufferConfig config,
            long address,
            Allocator lender) {
        return new Allocation(kind, details, devices, config.type(), address, config.size(), lender);
    }

    /** A buffer without content: it has no address, and neither allocators nor listeners hear of it. */
    static Allocation empty(Kind kind, AllocationDetails details, List<Integer> devices, BufferConfig config) {
        return new Allocation(kind, details, devices, config.type(), 0, 0, null);
    }

    static Allocation view(
            Kind kind, AllocationDetails details, List<Integer> devices, BufferType type, long address, long size) {
        return new Allocation(kind, details, devices, type, address, size, null);
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

    /** The allocator that has to get the memory back, unless it is only pointed to. */
    Optional<Allocator> lender() {
        return Optional.ofNullable(lender);
    }
}
