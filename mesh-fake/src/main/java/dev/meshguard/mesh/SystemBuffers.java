package dev.meshguard.mesh;

import static dev.meshguard.mesh.runtime.RuntimeDefect.ALLOCATOR_CLEARS_WITHOUT_REPORTING;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.mesh.Allocation.ReleaseReason;
import java.util.ArrayList;
import java.util.List;

/** The buffers that the runtime allocated for itself on one mesh. Guarded by the lock of the mesh, which callers hold. */
final class SystemBuffers {

    private final MeshContext mesh;
    private final List<Allocation> freedAtClose = new ArrayList<>();

    SystemBuffers(MeshContext mesh) {
        this.mesh = mesh;
    }

    /** Allocates those of the mesh. */
    void allocate() {
        for (SystemBuffer buffer : mesh.process().settings().systemBuffers()) {
            Allocation allocation = mesh.memory().allocateOnMesh(buffer.config(), buffer.details());
            if (buffer.lifetime() == BufferLifetime.SYSTEM) {
                freedAtClose.add(allocation);
            }
        }
    }

    /** Allocates the buffers of a device's initialisation, which are never freed. */
    void allocateOn(int device) {
        for (SystemBuffer buffer : mesh.process().settings().systemBuffers()) {
            mesh.memory().allocateOnDevice(device, buffer.config(), buffer.details());
        }
    }

    /** Forgets the buffers without freeing them. */
    void forget() {
        freedAtClose.clear();
    }

    /** Frees the buffers that a close frees. */
    void free() {
        for (Allocation buffer : freedAtClose) {
            if (mesh.reports().has(ALLOCATOR_CLEARS_WITHOUT_REPORTING)) {
                mesh.memory().freeSilently(buffer);
            } else {
                mesh.memory().free(buffer, ReleaseReason.DIED);
            }
        }
        freedAtClose.clear();
    }
}
