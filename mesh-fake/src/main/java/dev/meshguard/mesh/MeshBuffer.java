package dev.meshguard.mesh;

import dev.meshguard.mesh.Allocation.Ending;
import dev.meshguard.mesh.Allocation.Kind;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.shape.MeshCoordinate;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Quantities;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A buffer on all devices of a mesh, at the same address on each: the mesh lends memory in lock-step.
 *
 * <p>An owned mesh buffer has a backing buffer, which took the memory from the mesh's allocator, and one buffer on each device,
 * which points to it. An externally owned one ({@link MeshDevice#view}) only points to memory of something else. It keeps its
 * state when its mesh closes, as in the real runtime: nobody tells it.
 *
 * <p>Safe for use by several threads: changes happen under the lock of its mesh. Source:
 * {@code tt_metal/distributed/mesh_buffer.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshBuffer implements AutoCloseable {

    /** Whose memory a mesh buffer stands for. */
    public enum State {
        /** Its own, taken from the allocator of the mesh. */
        OWNED,
        /** Memory of something else. */
        EXTERNALLY_OWNED,
        /** None any more. */
        DEALLOCATED
    }

    private final MeshDevice mesh;
    private final MeshBufferConfig config;
    private final Allocation allocation;

    private MeshBuffer(MeshDevice mesh, MeshBufferConfig config, Allocation allocation) {
        this.mesh = mesh;
        this.config = config;
        this.allocation = allocation;
    }

    static MeshBuffer of(MeshDevice mesh, MeshBufferConfig config, Allocation allocation) {
        return new MeshBuffer(mesh, config, allocation);
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

    /** Returns what was asked for. */
    public MeshBufferConfig config() {
        return config;
    }

    /** Returns the memory it lies in. */
    public BufferType type() {
        return allocation.type();
    }

    /** Returns the address on every device, also after the buffer was freed. */
    public long address() {
        return allocation.address();
    }

    /** Returns the bytes on each device. */
    public long deviceLocalSize() {
        return allocation.size();
    }

    /** Returns what the code under test says it is for, if it says so. */
    public Optional<String> label() {
        return allocation.details().label();
    }

    /** Returns whose memory it stands for. */
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
     * Returns the buffer on one device, also after this was freed.
     *
     * @throws MeshRuntimeException if there is no such device
     */
    public Buffer deviceBuffer(MeshCoordinate coordinate) {
        return Buffer.partOfMeshBuffer(mesh, mesh.deviceId(coordinate), allocation);
    }

    /**
     * Gives the memory back, on all devices at once.
     *
     * <p>The real runtime is silent when there is nothing to give back; here the listener is told that a second free was ignored.
     */
    public void deallocate() {
        mesh.free(allocation, Ending.DEALLOCATED);
    }

    /** Gives the memory back unless that was done before. */
    @Override
    public void close() {
        mesh.freeIfAllocated(allocation);
    }

    /** Returns memory, address and size for a person to read. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "MeshBuffer(%s, %s at %s on each of %d devices, %s)",
                type(),
                Quantities.size(deviceLocalSize()),
                Quantities.address(address()),
                allocation.devices().size(),
                state());
    }
}
