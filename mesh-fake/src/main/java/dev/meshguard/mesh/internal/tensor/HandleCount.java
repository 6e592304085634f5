package dev.meshguard.mesh.internal.tensor;

/**
 * The number of handles that share the memory of a tensor.
 *
 * <p>In the runtime copies of a tensor share one storage, and a reinterpreted view has its own storage besides that of its
 * root. Freeing either frees both. Without force nothing is freed unless only one handle remains that refers to any of them.
 * Handles of both kinds therefore share one count here. It does not refer to the memory, so that a remaining count does not keep
 * the memory from being collected. Guarded by the lock of the mesh, which callers hold. Source:
 * {@code ttnn/core/tensor/storage.cpp}.
 */
public final class HandleCount {

    private int count;

    public boolean isOne() {
        return count == 1;
    }

    /** Counts one more handle. */
    public Share share() {
        return new Share(this);
    }

    /** The contribution of one handle to the count. */
    public static final class Share {

        private final HandleCount handles;
        private boolean released;

        private Share(HandleCount handles) {
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
