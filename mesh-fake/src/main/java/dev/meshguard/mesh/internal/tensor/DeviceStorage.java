package dev.meshguard.mesh.internal.tensor;

import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.MeshBuffer;

/**
 * The device memory of a tensor, shared by all its handles.
 *
 * <p>In the runtime copies of a tensor share one storage, and a reinterpreted view has its own storage besides that of its
 * root. Freeing either frees both. Without force nothing is freed unless only one handle remains that refers to any of them.
 * Handles of both kinds therefore share one object and one count here. Freed memory leaves the buffer as a tombstone with its
 * address and its mesh. Guarded by the lock of the mesh, which callers hold. Source: {@code ttnn/core/tensor/storage.cpp}.
 */
@PartOfHandle
public final class DeviceStorage {

    private final MeshBuffer buffer;
    private final Handles handles = new Handles();

    public DeviceStorage(MeshBuffer buffer) {
        this.buffer = buffer;
    }

    public MeshBuffer buffer() {
        return buffer;
    }

    public boolean hasOneHandle() {
        return handles.count == 1;
    }

    /** Counts one more handle. */
    public Share share() {
        return new Share(handles);
    }

    /**
     * The count of the handles. It does not refer to the memory, so that a remaining count does not keep the memory from being
     * collected.
     */
    private static final class Handles {
        private int count;
    }

    /** The contribution of one handle to the count. */
    public static final class Share {

        private final Handles handles;
        private boolean released;

        private Share(Handles handles) {
            this.handles = handles;
            handles.count++;
        }

        /** Takes the handle out of the count, once. */
        public void giveUp() {
            if (!released) {
                released = true;
                handles.count--;
            }
        }
    }
}
