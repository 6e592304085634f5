package dev.meshguard.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.Kind;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.allocation.StrictModeChecks;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.lang.ref.Reference;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A handle to a buffer on all devices of a mesh, at the same address on each: the mesh allocates memory in lock-step.
 *
 * <p>An owned mesh buffer has memory that the mesh's allocator allocated. An externally owned one ({@link MeshDevice#view}) only
 * points to memory of another owner. It keeps its state when its mesh closes, as in the real runtime, which does not notify it.
 *
 * <p>Safe for use by several threads: changes happen under the lock of its mesh. Source:
 * {@code tt_metal/distributed/mesh_buffer.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshBuffer implements AutoCloseable {

    /** The owner of a mesh buffer's memory. */
    public enum State {
        /** The mesh buffer owns its memory, allocated by the allocator of the mesh. */
        OWNED,
        /** Another object owns the memory. */
        EXTERNALLY_OWNED,
        /** None any more. */
        DEALLOCATED
    }

    private final MeshDevice mesh;
    private final Allocation allocation;

    MeshBuffer(MeshDevice mesh, Allocation allocation) {
        this.mesh = mesh;
        this.allocation = allocation;
    }

    /**
     * Returns the mesh.
     *
     * @throws MeshRuntimeException if it was destroyed
     */
    public MeshDevice device() {
        if (mesh.isDestroyed()) {
            throw new MeshRuntimeException("Can't get device from mesh buffer, already deallocated");
        }
        return mesh;
    }

    /** Returns the requested configuration of the buffer on each device. */
    public BufferConfig config() {
        return allocation.config();
    }

    /** Returns the memory it lies in. */
    public BufferType type() {
        return allocation.type();
    }

    /** Returns the address on every device, also after the buffer was freed. */
    public long address() {
        return allocation.address();
    }

    /** Returns the bytes on each device, also after the buffer was freed. */
    public long size() {
        return allocation.size();
    }

    /** Returns who owns its memory. */
    public State state() {
        if (allocation.isFreed()) {
            return State.DEALLOCATED;
        }
        return allocation.kind() == Kind.VIEW ? State.EXTERNALLY_OWNED : State.OWNED;
    }

    /** Returns whether it was not freed and its mesh was not destroyed; closing the mesh does not change that. */
    public boolean isAllocated() {
        return !allocation.isFreed() && !mesh.isDestroyed();
    }

    /**
     * Frees the memory, on all devices at once.
     *
     * <p>The real runtime silently ignores a second free; here the listener receives a report that the free was ignored. If the
     * mesh was closed or destroyed, no memory is freed and only the state changes. The
     * {@link dev.meshguard.mesh.runtime.ReportingModel} decides whether that is reported as a free or as an ignored one.
     */
    public void deallocate() {
        try {
            mesh.free(allocation, ReleaseReason.DEALLOCATED);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Frees the memory unless it was freed before, for try-with-resources.
     *
     * <p>{@link #deallocate()} is the call of the real runtime, where a second free is worth a report: the listener receives an
     * ignored free, and a {@linkplain Ttnn.Builder#strict() strict} runtime throws. This call does the work of the destructor:
     * called twice, or after {@code deallocate()}, it does nothing and reports nothing. After
     * {@link MeshDevice#deallocateAddress} it is a second free, because the buffer does not learn of the first. Neither asks
     * whether others use the memory. If a {@link Tensor} lies in this buffer, both free it for all handles of the tensor.
     */
    @Override
    public void close() {
        try {
            mesh.freeIfAllocated(allocation, ReleaseReason.DEALLOCATED);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The memory, freed or not. */
    Allocation allocation() {
        return allocation;
    }

    /** Adds the known history of this buffer to an error. */
    <E extends Throwable> E explaining(E error) {
        return StrictModeChecks.explained(error, allocation);
    }

    /** Returns memory, address and size for a person to read. */
    @Override
    public String toString() {
        return InvariantText.of(
                "MeshBuffer(%s, %s at %s on each of %d devices, %s)",
                type(),
                Quantities.size(size()),
                Quantities.address(address()),
                allocation.devices().size(),
                state());
    }
}
