package dev.meshguard.mesh;

import dev.meshguard.mesh.Allocation.Ending;
import dev.meshguard.mesh.Allocation.Kind;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Quantities;
import java.lang.ref.Reference;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A buffer on one device.
 *
 * <p>It either owns its memory ({@link MeshDevice#allocateOn}), or lies at an address that something else owns
 * ({@link MeshDevice#viewOn}, {@link MeshBuffer#deviceBuffer}). It keeps its state when its mesh closes, as in the real runtime:
 * nobody tells it.
 *
 * <p>Safe for use by several threads: changes happen under the lock of its mesh. Source: {@code tt_metal/impl/buffers/buffer.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Buffer implements AutoCloseable {

    private final MeshDevice mesh;
    private final int device;
    private final Allocation allocation;
    private final boolean partOfMeshBuffer;

    private Buffer(MeshDevice mesh, int device, Allocation allocation, boolean partOfMeshBuffer) {
        this.mesh = mesh;
        this.device = device;
        this.allocation = allocation;
        this.partOfMeshBuffer = partOfMeshBuffer;
    }

    static Buffer of(MeshDevice mesh, int device, Allocation allocation) {
        return new Buffer(mesh, device, allocation, false);
    }

    static Buffer partOfMeshBuffer(MeshDevice mesh, int device, Allocation allocation) {
        return new Buffer(mesh, device, allocation, true);
    }

    /** Returns the id of the device. */
    public int device() {
        return device;
    }

    /** Returns the memory it lies in. */
    public BufferType type() {
        return allocation.type();
    }

    /** Returns the address, also after the buffer was freed. */
    public long address() {
        return allocation.address();
    }

    /** Returns the bytes. */
    public long size() {
        return allocation.size();
    }

    /** Returns what the code under test says it is for, if it says so. */
    public Optional<String> label() {
        return allocation.details().label();
    }

    /** Returns whether it took its memory from the device's allocator. */
    public boolean ownsMemory() {
        return !partOfMeshBuffer && allocation.kind() == Kind.ON_ONE_DEVICE;
    }

    /**
     * Returns whether it was not freed; closing the mesh does not change that.
     *
     * <p>A device's part of a mesh buffer is never freed by itself and answers {@code true} for ever.
     */
    public boolean isAllocated() {
        return partOfMeshBuffer || !allocation.isFreed();
    }

    /**
     * Gives the memory back.
     *
     * <p>The real runtime is silent when there is nothing to give back; here the listener is told that a second free was ignored.
     * A device's part of a mesh buffer does nothing: it owns nothing. A view at a given address ends, and its memory is left alone.
     */
    public void deallocate() {
        try {
            if (!partOfMeshBuffer) {
                mesh.free(allocation, Ending.DEALLOCATED);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Gives the memory back unless that was done before. */
    @Override
    public void close() {
        try {
            if (!partOfMeshBuffer) {
                mesh.freeIfAllocated(allocation);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns memory, address and size for a person to read. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "Buffer(device %d, %s, %s at %s%s)",
                device,
                type(),
                Quantities.size(size()),
                Quantities.address(address()),
                isAllocated() ? "" : ", deallocated");
    }
}
