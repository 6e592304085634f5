package dev.meshguard.mesh.internal.system;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.context.MeshContext;
import dev.meshguard.mesh.internal.process.SystemBufferSpec;
import java.util.ArrayList;
import java.util.List;

/** The buffers that the runtime allocated for itself on one mesh. Guarded by the lock of the mesh, which callers hold. */
public final class SystemBuffers {

    private final MeshContext mesh;
    private final List<Allocation> freedAtClose = new ArrayList<>();

    public SystemBuffers(MeshContext mesh) {
        this.mesh = mesh;
    }

    /** Allocates those of the mesh. */
    public void allocate() {
        for (SystemBufferSpec buffer : mesh.process().settings().systemBuffers()) {
            Allocation allocation = mesh.memory().allocateOnMesh(buffer.config(), buffer.details());
            if (buffer.lifetime() == BufferLifetime.SYSTEM) {
                freedAtClose.add(allocation);
            }
        }
    }

    /** Allocates the buffers of a device's initialisation, which are never freed. */
    public void allocateOn(int device) {
        for (SystemBufferSpec buffer : mesh.process().settings().systemBuffers()) {
            mesh.memory().allocateOnDevice(device, buffer.config(), buffer.details());
        }
    }

    /** Forgets the buffers without freeing them. */
    public void forget() {
        freedAtClose.clear();
    }

    /** Frees the buffers that a close frees. */
    public void free() {
        freedAtClose.forEach(mesh.memory()::freeForRuntime);
        freedAtClose.clear();
    }
}
