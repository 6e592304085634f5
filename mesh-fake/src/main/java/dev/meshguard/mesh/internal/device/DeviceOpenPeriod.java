package dev.meshguard.mesh.internal.device;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.handle.NotSearched;
import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarner;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.StrictModeChecks;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * One open period of a device, from its initialisation to its close, with the allocator of this device alone.
 *
 * <p>A device that is opened again starts another open period with another allocator. Meshes over the device have their own
 * allocators, which are independent of this one. Safe for use by several threads. Source:
 * {@code tt_metal/impl/device/device.cpp}.
 */
@NotSearched
public final class DeviceOpenPeriod {

    private final int device;
    private final AllocatorConfig config;
    private final int numCommandQueues;
    private final UnsafeAllocationWarner warning;
    private final List<LoadedProgram> systemPrograms = new CopyOnWriteArrayList<>();
    private final StrictModeChecks misuse;
    /** Mutable since its allocator exists; most devices never have an allocation of their own. */
    private Map<BufferType, Map<Long, Allocation>> allocated = Map.of();

    private @Nullable Allocator allocator;
    private boolean announced;
    private volatile boolean over;

    DeviceOpenPeriod(
            int device,
            AllocatorConfig config,
            int numCommandQueues,
            UnsafeAllocationWarner warning,
            StrictModeChecks misuse) {
        this.device = device;
        this.config = config;
        this.numCommandQueues = numCommandQueues;
        this.warning = warning;
        this.misuse = misuse;
    }

    public int device() {
        return device;
    }

    /** Returns the division of the memory, as set by the first opening of the device. */
    public AllocatorConfig config() {
        return config;
    }

    public int numCommandQueues() {
        return numCommandQueues;
    }

    public boolean isOver() {
        return over;
    }

    /** Returns the mutable list of the runtime's own programs on the device that a close may end. */
    public List<LoadedProgram> systemPrograms() {
        return systemPrograms;
    }

    /** Returns the allocator of this device alone. */
    public synchronized Allocator allocator() {
        Allocator own = allocator;
        if (own == null) {
            own = Allocator.create(config, warning);
            allocator = own;
            allocated = new EnumMap<>(BufferType.class);
        }
        return own;
    }

    public synchronized boolean hasAllocated() {
        return allocator != null;
    }

    /** Records an allocation of this device's own allocator. */
    public synchronized void allocated(Allocation allocation) {
        allocated.computeIfAbsent(allocation.type(), unused -> new HashMap<>()).put(allocation.address(), allocation);
    }

    /** Records a free. */
    public synchronized void freed(Allocation allocation) {
        Map<Long, Allocation> ofType = allocated.get(allocation.type());
        if (ofType != null) {
            ofType.remove(allocation.address());
        }
    }

    /** Returns what this device's own allocator allocated at an address. */
    public synchronized Optional<Allocation> allocationAt(BufferType type, long address) {
        return Optional.ofNullable(allocated.getOrDefault(type, Map.of()).get(address));
    }

    /** Frees everything that this device's own allocator has allocated, without notifying the owners. */
    public synchronized void wipe() {
        if (allocator != null) {
            allocator.deallocateBuffers();
            allocator.clear();
            allocated.clear();
            misuse.wiped(allocator, "device " + device + " was closed");
        }
    }

    /** Returns true the first time: a device that was activated for others is reported when a mesh first lies over it. */
    public synchronized boolean announce() {
        boolean first = !announced;
        announced = true;
        return first;
    }

    public synchronized boolean wasAnnounced() {
        return announced;
    }

    void end() {
        over = true;
    }

    /** One of the runtime's own programs on the device. */
    public interface LoadedProgram {

        /** Returns its name in reports. */
        Owner owner();

        /** Does the work of its destructor. */
        void end();
    }
}
