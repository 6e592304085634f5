package dev.meshguard.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.Kind;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.lang.ref.Reference;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A handle to a buffer on one device of a mesh without hardware, as tt-metal's {@code Buffer}.
 *
 * <p>It either owns its memory ({@link MeshDevice#allocateOn}), or lies at an address that another buffer owns
 * ({@link MeshDevice#viewOn}). It is allocated when it is returned. It keeps its state when its mesh closes, as in the real
 * runtime, which does not notify it.
 *
 * <p>Safe for use by several threads: changes happen under the lock of its mesh. Source:
 * {@code tt_metal/impl/buffers/buffer.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Buffer implements AutoCloseable {

    private final MeshDevice mesh;
    private final Allocation allocation;

    Buffer(MeshDevice mesh, Allocation allocation) {
        this.mesh = mesh;
        this.allocation = allocation;
    }

    /** Returns the id of the device. */
    public int device() {
        return allocation.devices().get(0);
    }

    /** Returns the memory it lies in. */
    public BufferType type() {
        return allocation.type();
    }

    /**
     * Returns the address, also after the buffer was freed.
     *
     * <p>It fits into 32 bits, as all banks do (quirk Q13). A buffer of 0 B has no memory and returns 0 (quirk Q14).
     */
    public long address() {
        return allocation.address();
    }

    /** Returns the bytes. */
    public long size() {
        return allocation.size();
    }

    /** Returns whether it allocated its memory from an allocator. */
    public boolean ownsMemory() {
        return allocation.kind() == Kind.ON_ONE_DEVICE;
    }

    /** Returns whether it was not freed; closing the mesh does not change that. */
    public boolean isAllocated() {
        return !allocation.isFreed();
    }

    /**
     * Frees the memory.
     *
     * <p>The real runtime silently ignores a second free; here the listener receives a report that the free was ignored. A
     * buffer that owns nothing stays allocated. The exception is a runtime that reports views
     * ({@link dev.meshguard.mesh.runtime.ReportingModel#TRACKING_BRANCH}): it ends them here, and reports that.
     */
    public void deallocate() {
        try (MeshLock held = mesh.context().lock().acquire()) {
            if (ownsMemory() || mesh.context().reports().concern(allocation)) {
                mesh.free(allocation, ReleaseReason.DEALLOCATED);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Frees the memory unless it was freed before, for try-with-resources. A buffer that owns nothing ends without freeing
     * memory.
     *
     * <p>Unlike {@link #deallocate()}, a second call does nothing: it reports no ignored free, and a strict runtime accepts it.
     */
    @Override
    public void close() {
        try {
            mesh.freeIfAllocated(allocation, ReleaseReason.DEALLOCATED);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns memory, address and size for a person to read. */
    @Override
    public String toString() {
        return InvariantText.of(
                "Buffer(device %d, %s, %s at %s%s)",
                device(),
                type(),
                Quantities.size(size()),
                Quantities.address(address()),
                isAllocated() ? "" : ", deallocated");
    }
}
