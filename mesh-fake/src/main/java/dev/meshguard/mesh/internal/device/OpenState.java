package dev.meshguard.mesh.internal.device;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Whether a mesh is open, closed or destroyed: the one place for the mesh, its queues, traces, sub-devices and memory.
 *
 * <p>Changes under the lock of the mesh; any thread may read it.
 */
public final class OpenState {

    private final int mesh;
    private final List<DeviceOpenPeriod> devices;
    private final Supplier<Optional<String>> retiredBecause;
    private volatile boolean initialised;
    private volatile boolean destroyed;

    /** Creates the state of a mesh that is not open yet. */
    public OpenState(int mesh, Collection<DeviceOpenPeriod> devices, Supplier<Optional<String>> retiredBecause) {
        this.mesh = mesh;
        this.devices = List.copyOf(devices);
        this.retiredBecause = retiredBecause;
    }

    /** Opens the mesh, once. */
    public void open() {
        if (initialised) {
            throw new MeshRuntimeException("MeshDevice is already initialized!");
        }
        initialised = true;
    }

    public void close() {
        initialised = false;
    }

    /** Returns true the first time. */
    public boolean destroy() {
        boolean first = !destroyed;
        destroyed = true;
        return first;
    }

    /** Returns whether the mesh was opened and not closed. Its devices may be closed: another root mesh may have closed them. */
    public boolean isInitialised() {
        return initialised;
    }

    public boolean isDestroyed() {
        return destroyed;
    }

    /** Returns whether the mesh can be used: neither it nor one of its devices was closed. Asked at every free, so without a stream. */
    public boolean isOpen() {
        if (!initialised) {
            return false;
        }
        for (DeviceOpenPeriod device : devices) {
            if (device.isOver()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Checks that the mesh was opened and not closed, as the runtime does.
     *
     * @throws MeshRuntimeException if it is closed
     */
    public void requireInitialised() {
        if (!initialised) {
            throw new MeshRuntimeException(
                    "SubDeviceManagerTracker is not initialized on MeshDevice %d."
                            + " This MeshDevice contains only remote devices (so the runtime; in fact mesh %d was closed:"
                            + " %s)",
                    mesh, mesh, retiredBecause.get().orElse("use it before closeMeshDevice, or open a new mesh"));
        }
    }
}
