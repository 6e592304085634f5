package dev.meshguard.mockito;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The memory that one call of a mock allocated, and the devices on which it is still live.
 *
 * <p>{@link MockAllocations} creates and changes it under its lock.
 */
final class MockAllocation {

    private final List<Integer> devices;
    private final BufferType type;
    private final long address;
    private final AllocationDetails release;
    private final Set<Integer> live;

    MockAllocation(List<Integer> devices, BufferType type, long address, AllocationDetails details) {
        this.devices = devices;
        this.type = type;
        this.address = address;
        this.release = releaseOf(details);
        this.live = new LinkedHashSet<>(devices);
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

    AllocationDetails release() {
        return release;
    }

    boolean isLive() {
        return !live.isEmpty();
    }

    boolean isLiveOn(int device) {
        return live.contains(device);
    }

    boolean isOnAny(List<Integer> some) {
        return some.stream().anyMatch(devices::contains);
    }

    boolean hasSameAddressAs(MockAllocation other) {
        return type == other.type && address == other.address && devices.equals(other.devices);
    }

    /** Ends it on the given devices. */
    void end(List<Integer> where) {
        where.forEach(live::remove);
    }

    /** Returns the details of a free: those of the mesh, without label and owner, which belong to the allocation. */
    private static AllocationDetails releaseOf(AllocationDetails details) {
        AllocationDetails release = AllocationDetails.user().ofKind(details.kind());
        if (details.mesh().isPresent()) {
            release = release.onMesh(details.mesh().getAsInt());
        }
        if (details.allocator().isPresent()) {
            release = release.fromAllocator(details.allocator().get());
        }
        return details.processId().isPresent()
                ? release.reportedBy(details.processId().getAsLong())
                : release;
    }
}
