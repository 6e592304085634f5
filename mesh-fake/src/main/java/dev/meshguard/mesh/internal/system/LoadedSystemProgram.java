package dev.meshguard.mesh.internal.system;

import static dev.meshguard.mesh.runtime.RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING;

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
        for (Allocation binary : binaries) {
            if (mesh.reports().has(ALLOCATOR_CLEARS_WITHOUT_REPORTING)) {
                mesh.memory().freeSilently(binary);
            } else {
                mesh.memory().free(binary, ReleaseReason.DIED);
            }
        }
        circularBuffers.end(ReleaseReason.DIED);
        mesh.reports().listener().ownerEnded(owner);
    }
}
