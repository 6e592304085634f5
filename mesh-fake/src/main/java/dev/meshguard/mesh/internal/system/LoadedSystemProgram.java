package dev.meshguard.mesh.internal.system;

import dev.meshguard.event.Owner;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.device.DeviceOpenPeriod;
import dev.meshguard.mesh.internal.program.CircularBufferPlacement;
import java.util.List;

/**
 * One of the runtime's own programs with its buffers.
 *
 * <p>Memory that was cleared before is not freed again. The free is reported if the mesh or device that allocated the memory
 * still counts as initialised.
 *
 * @param mesh the mesh whose allocators allocated the memory
 * @param owner its name in reports
 * @param binaries its kernel binary, if it has one
 * @param circularBuffers its circular buffers as they were reported
 */
public record LoadedSystemProgram(
        MeshContext mesh, Owner owner, List<Allocation> binaries, CircularBufferPlacement circularBuffers)
        implements DeviceOpenPeriod.LoadedProgram {

    @Override
    public void end() {
        binaries.forEach(mesh.memory()::freeForRuntime);
        circularBuffers.end(ReleaseReason.DIED);
        mesh.reports().listener().ownerEnded(owner);
    }
}
