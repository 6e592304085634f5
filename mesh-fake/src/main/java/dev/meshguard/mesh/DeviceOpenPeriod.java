package dev.meshguard.mesh;

import dev.meshguard.mesh.allocator.Allocator;
import dev.meshguard.mesh.allocator.AllocatorConfig;
import dev.meshguard.mesh.allocator.UnsafeAllocationWarning;
import dev.meshguard.mesh.runtime.CoreGrid;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * One life of a device, from its initialisation to its close, with the allocator that allocates memory of this device alone.
 *
 * <p>A device that is opened again begins another life with another allocator. Meshes over the device have allocators of their
 * own, and neither knows of the other. Safe for use by several threads. Source: {@code tt_metal/impl/device/device.cpp}.
 */
final class DeviceOpenPeriod {

    private final int device;
    private final AllocatorConfig config;
    private final CoreGrid grid;
    private final int numCommandQueues;
    private final UnsafeAllocationWarning warning;
    private final List<LoadedSystemProgram> systemPrograms = new CopyOnWriteArrayList<>();
    private final StrictModeChecks misuse;
    private @Nullable Allocator allocator;
    private boolean announced;
    private volatile boolean over;

    DeviceOpenPeriod(
            int device,
            AllocatorConfig config,
            CoreGrid grid,
            int numCommandQueues,
            UnsafeAllocationWarning warning,
            StrictModeChecks misuse) {
        this.device = device;
        this.config = config;
        this.grid = grid;
        this.numCommandQueues = numCommandQueues;
        this.warning = warning;
        this.misuse = misuse;
    }

    int device() {
        return device;
    }

    /** How the memory is divided: as the first who opened the device asked. */
    AllocatorConfig config() {
        return config;
    }

    /** The cores that compute: those on which the first who opened the device did not want to dispatch. */
    CoreGrid grid() {
        return grid;
    }

    int numCommandQueues() {
        return numCommandQueues;
    }

    boolean isOver() {
        return over;
    }

    /** The runtime's own programs on it, those that a close may end; to be changed. */
    List<LoadedSystemProgram> systemPrograms() {
        return systemPrograms;
    }

    /** Returns the allocator of this device alone. */
    synchronized Allocator allocator() {
        Allocator own = allocator;
        if (own == null) {
            own = Allocator.create(config, warning);
            allocator = own;
        }
        return own;
    }

    synchronized boolean hasAllocated() {
        return allocator != null;
    }

    /** Takes back all that this device alone allocated, without telling those who have it. */
    synchronized void wipe() {
        if (allocator != null) {
            allocator.deallocateBuffers();
            allocator.clear();
            misuse.wiped(allocator, "device " + device + " was closed");
        }
    }

    /** Returns true the first time: a device that was activated for others is reported when a mesh first lies over it. */
    synchronized boolean announce() {
        boolean first = !announced;
        announced = true;
        return first;
    }

    synchronized boolean wasAnnounced() {
        return announced;
    }

    void end() {
        over = true;
    }
}
