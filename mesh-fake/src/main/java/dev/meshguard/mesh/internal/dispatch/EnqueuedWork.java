package dev.meshguard.mesh.internal.dispatch;

import dev.meshguard.event.Owner;
import dev.meshguard.mesh.buffer.SubDeviceId;
import dev.meshguard.mesh.internal.memory.MeshTrace;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Programs on their way through a command queue: a workload for the mesh, or one program for one device.
 *
 * <p>Used under the lock of the mesh.
 *
 * @param isLoaded whether every kernel binary that the programs need is on the devices
 * @param load allocates the memory of the programs if they have none
 * @param subDevice the sub-device that all programs run on
 * @param recordIn adds the commands of one run to a trace, and returns the owners of the circular buffers and kernel binaries
 *     that the run uses
 */
public record EnqueuedWork(
        BooleanSupplier isLoaded,
        Runnable load,
        Supplier<SubDeviceId> subDevice,
        Function<MeshTrace, List<Owner>> recordIn) {}
