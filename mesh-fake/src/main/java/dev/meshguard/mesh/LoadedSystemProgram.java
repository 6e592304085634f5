package dev.meshguard.mesh;

import static dev.meshguard.mesh.runtime.RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING;

import dev.meshguard.event.Owner;
import dev.meshguard.mesh.Allocation.ReleaseReason;
import java.util.List;

/**
 * One of the runtime's own programs with the buffers it holds.
 *
 * <p>Memory that was wiped before is not there any more to be freed; whether the free is reported depends only on whether the
 * mesh or device that allocated it still counts as initialised.
 *
 * @param mesh whose allocators allocated the memory
 * @param owner the name under which reports know it
 * @param binaries its kernel binary, if it has one
 * @param circularBuffers what was reported of its circular buffers
 */
record LoadedSystemProgram(
        MeshDevice mesh, Owner owner, List<Allocation> binaries, CircularBufferPlacement circularBuffers) {

    boolean isOf(Owner.Kind kind) {
        return owner.kind() == kind;
    }

    /** What its destructor does. */
    void end() {
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
