package dev.meshguard.mesh;

import dev.meshguard.tracker.handle.PartOfHandle;

/**
 * The device memory of a tensor, for all handles that share it.
 *
 * <p>In the runtime copies of a tensor share a holder, and a reinterpreted view has a holder of its own besides that of its root;
 * freeing either frees both, and without force nothing is freed unless one handle is left that refers to any of them. So handles of
 * both kinds share one of these, and are one count. Memory that was freed leaves the buffer as a tombstone, which still knows its
 * address and its mesh. Guarded by the lock of the mesh, which callers hold. Source: {@code ttnn/core/tensor/storage.cpp}.
 */
@PartOfHandle
final class DeviceStorage {

    private final MeshBuffer buffer;
    private final Handles handles = new Handles();

    DeviceStorage(MeshBuffer buffer) {
        this.buffer = buffer;
    }

    MeshBuffer buffer() {
        return buffer;
    }

    boolean hasOneHandle() {
        return handles.count == 1;
    }

    /** Counts one more handle. */
    Share share() {
        return new Share(handles);
    }

    /** Excluding the memory: what a handle leaves behind to be counted must not keep that from being collected with it. */
    private static final class Handles {
        private int count;
    }

    /** What one handle adds to the count. */
    static final class Share {

        private final Handles handles;
        private boolean givenUp;

        private Share(Handles handles) {
            this.handles = handles;
            handles.count++;
        }

        /** Takes the handle out of the count, once. */
        void giveUp() {
            if (!givenUp) {
                givenUp = true;
                handles.count--;
            }
        }
    }
}
