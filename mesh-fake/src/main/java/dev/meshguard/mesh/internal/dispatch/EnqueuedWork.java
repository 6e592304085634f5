package dev.meshguard.mesh.internal.dispatch;

import dev.meshguard.event.Owner;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.memory.MeshTrace;
import java.util.List;

/**
 * Programs on their way through a command queue: a workload for the mesh, or one program for one device.
 *
 * <p>Used under the lock of the mesh.
 */
public interface EnqueuedWork {

    /** Returns whether every kernel binary that it needs is on the devices. */
    boolean isLoaded();

    /** Allocates the memory of the programs if they have none. */
    void load();

    /** Returns the sub-device that all programs run on. */
    SubDeviceId subDevice();

    /** Returns the owners of the circular buffers and kernel binaries that a run uses. */
    List<Owner> owners();

    /** Adds the commands of one run to a trace. */
    void recordIn(MeshTrace trace);
}
