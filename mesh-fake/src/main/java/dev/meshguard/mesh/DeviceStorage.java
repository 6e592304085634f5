package dev.meshguard.mesh;

/**
 * The device memory of a tensor, for all handles that share it.
 *
 * <p>Copies of a tensor share one storage. A reinterpreted view has a storage of its own over the memory of its root: deallocating
 * either frees the memory of both, and nobody else's is freed without force while the other is there. Memory that was freed leaves
 * the buffer as a tombstone, so mesh and address can still be asked for. Guarded by the lock of the mesh, which callers hold. Source:
 * {@code ttnn/core/tensor/storage.cpp}.
 *
 * <p>Who shares is counted apart from the memory ({@link Share}), so that a handle that is waiting to be collected does not keep the
 * memory from being collected with it.
 */
final class DeviceStorage {

    private final MeshBuffer buffer;
    private final Owners root;
    private final Owners own;

    private DeviceStorage(MeshBuffer buffer, Owners root, Owners own) {
        this.buffer = buffer;
        this.root = root;
        this.own = own;
    }

    /** The storage of a tensor that takes a buffer over. */
    static DeviceStorage owning(MeshBuffer buffer) {
        Owners owners = new Owners();
        return new DeviceStorage(buffer, owners, owners);
    }

    /** Another storage over the same memory. */
    DeviceStorage view() {
        return new DeviceStorage(buffer, root, new Owners());
    }

    MeshBuffer buffer() {
        return buffer;
    }

    /** Counts one more handle. */
    Share share() {
        return new Share(own, root);
    }

    /** Returns whether one handle has it all: no copy, no view, and it is none itself of something that others have. */
    boolean isUnshared() {
        return own.handles == 1 && root.storages == 1;
    }

    /** How many handles share a storage, and how many storages lie in its memory; it says nothing of the memory itself. */
    private static final class Owners {
        private int handles;
        private int storages;
    }

    /** What one handle adds to the count. */
    static final class Share {

        private final Owners own;
        private final Owners root;
        private boolean givenUp;

        private Share(Owners own, Owners root) {
            this.own = own;
            this.root = root;
            if (own.handles++ == 0) {
                root.storages++;
            }
        }

        /** Takes the handle out of the count, once. */
        void giveUp() {
            if (!givenUp) {
                givenUp = true;
                if (--own.handles == 0) {
                    root.storages--;
                }
            }
        }
    }
}
