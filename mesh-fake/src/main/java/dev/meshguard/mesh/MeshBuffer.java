package dev.meshguard.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.MeshBufferConfig;
import dev.meshguard.mesh.buffer.MeshBufferLayout;
import dev.meshguard.mesh.buffer.Shape2D;
import dev.meshguard.mesh.buffer.ShardedBufferConfig;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.Kind;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.allocation.StrictModeChecks;
import dev.meshguard.mesh.shape.MeshCoordinate;
import java.lang.ref.Reference;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A buffer on all devices of a mesh, at the same address on each: the mesh allocates memory in lock-step.
 *
 * <p>An owned mesh buffer has a backing buffer, which the mesh's allocator allocated, and one buffer on each device, which
 * points to it. An externally owned one ({@link MeshDevice#view}) only points to memory of another owner. It keeps its state
 * when its mesh closes, as in the real runtime, which does not notify it.
 *
 * <p>A replicated and a sharded mesh buffer with the same number of bytes on each device need the same memory. Devices without
 * a shard allocate the same memory too (quirk Q8).
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

    /** Replaced as a whole, so that a reader never sees the one of an old and the other of a new mesh buffer. */
    private volatile Contents contents;

    private MeshBuffer(Contents contents) {
        this.contents = contents;
    }

    static MeshBuffer of(MeshBufferConfig config, DeviceBuffers buffers) {
        return new MeshBuffer(new Contents(config, buffers));
    }

    /**
     * Returns the mesh.
     *
     * @throws MeshRuntimeException if it was destroyed, or this was moved away
     */
    public MeshDevice device() {
        DeviceBuffers buffers = contents.buffers;
        if (buffers == null || buffers.mesh().isDestroyed()) {
            throw new MeshRuntimeException("Can't get device from mesh buffer, already deallocated");
        }
        return buffers.mesh();
    }

    /** Returns the requested configuration. */
    public MeshBufferConfig config() {
        return contents.config;
    }

    /** Returns the memory it lies in. */
    public BufferType type() {
        return config().deviceLocal().type();
    }

    /** Returns the address on every device, also after the buffer was freed; 0 after it was moved away. */
    public long address() {
        DeviceBuffers buffers = contents.buffers;
        return buffers == null ? 0 : buffers.allocation().address();
    }

    /** Returns the bytes of the contents, each counted once, also after the buffer was freed or moved away. */
    public long size() {
        return config().global().size();
    }

    /** Returns the bytes on each device, also after the buffer was freed; 0 after it was moved away. */
    public long deviceLocalSize() {
        DeviceBuffers buffers = contents.buffers;
        return buffers == null ? 0 : buffers.allocation().size();
    }

    /** Returns the bytes of a page. */
    public long pageSize() {
        return config().deviceLocal().pageSize();
    }

    /** Returns the number of pages on each device. */
    public long numPages() {
        return pageSize() == 0 ? 0 : deviceLocalSize() / pageSize();
    }

    /** Returns whether the devices hold the same or different parts. */
    public MeshBufferLayout globalLayout() {
        return config().globalLayout();
    }

    /**
     * Returns how the contents are cut into shards.
     *
     * @throws MeshRuntimeException if they are replicated
     */
    public ShardedBufferConfig globalShardSpec() {
        return config().globalShardSpec();
    }

    /**
     * Returns the bytes of an element.
     *
     * @throws MeshRuntimeException if the contents are replicated
     */
    public long datumSizeBytes() {
        return config().datumSizeBytes();
    }

    /**
     * Returns the elements of a shard.
     *
     * @throws MeshRuntimeException if the contents are replicated
     */
    public Shape2D physicalShardShape() {
        return config().physicalShardShape();
    }

    /** Returns the label that the code under test set, if any. */
    public Optional<String> label() {
        return config().deviceLocal().label();
    }

    /** Returns who owns its memory. */
    public State state() {
        DeviceBuffers buffers = contents.buffers;
        if (buffers == null || buffers.allocation().isFreed()) {
            return State.DEALLOCATED;
        }
        return buffers.allocation().kind() == Kind.VIEW ? State.EXTERNALLY_OWNED : State.OWNED;
    }

    /** Returns whether it was not freed and its mesh was not destroyed; closing the mesh does not change that. */
    public boolean isAllocated() {
        DeviceBuffers buffers = contents.buffers;
        return buffers != null
                && !buffers.allocation().isFreed()
                && !buffers.mesh().isDestroyed();
    }

    /**
     * Returns the buffer on one device, also after this was freed.
     *
     * @param coordinate a coordinate in the shape that the mesh had when this was created
     * @throws MeshRuntimeException if there is no such device, or this was moved away
     */
    public Buffer deviceBuffer(MeshCoordinate coordinate) {
        return requireDeviceBuffers().at(coordinate);
    }

    /**
     * Returns the buffer on the first device, for properties that are the same on all devices.
     *
     * @throws MeshRuntimeException if this was moved away
     */
    public Buffer referenceBuffer() {
        return requireDeviceBuffers().at(0);
    }

    /** Returns the buffer that owns the memory; empty unless this owns memory now. */
    public Optional<Buffer> backingBuffer() {
        DeviceBuffers buffers = contents.buffers;
        return buffers == null || buffers.allocation().isFreed() ? Optional.empty() : buffers.backing();
    }

    /**
     * Frees the memory, on all devices at once.
     *
     * <p>The real runtime silently ignores a second free; here the listener receives a report that the free was ignored. If the
     * mesh was closed or destroyed, no memory is freed and only the state changes. The
     * {@link dev.meshguard.mesh.runtime.ReportingModel} decides whether that is reported as a free or as an ignored one. After
     * a move nothing happens.
     */
    public void deallocate() {
        DeviceBuffers buffers = contents.buffers;
        try {
            if (buffers != null) {
                buffers.mesh().free(buffers.allocation(), ReleaseReason.DEALLOCATED);
            }
        } finally {
            Reference.reachabilityFence(buffers);
        }
    }

    /**
     * Frees the memory unless it was freed before, for try-with-resources.
     *
     * <p>{@link #deallocate()} is the call of the real runtime, where a second free is worth a report: the listener receives an
     * ignored free, and a {@linkplain Ttnn.Builder#strict() strict} runtime throws. This call does the work of the destructor:
     * called twice, or after {@code deallocate()}, it does nothing and reports nothing. Neither asks whether others use the
     * memory. If a {@link Tensor} lies in this buffer, both free it for all handles of the tensor.
     */
    @Override
    public void close() {
        DeviceBuffers buffers = contents.buffers;
        try {
            if (buffers != null) {
                buffers.mesh().freeIfAllocated(buffers.allocation());
            }
        } finally {
            Reference.reachabilityFence(buffers);
        }
    }

    /**
     * Moves everything to a new object, as the runtime's move constructor does.
     *
     * <p>Afterwards this is deallocated, at address 0 with 0 B on each device, although nothing was freed. It still returns the
     * requested configuration.
     *
     * @return the object that owns the memory now
     */
    public MeshBuffer move() {
        return new MeshBuffer(takeContents());
    }

    /**
     * Moves everything to another mesh buffer, which first frees its own memory, as the runtime's move assignment does.
     *
     * <p>Does nothing if the other is this one; otherwise this is in the same state as after {@link #move()}.
     *
     * @return the other
     */
    public MeshBuffer moveInto(MeshBuffer target) {
        if (target != this) {
            new MeshBuffer(target.exchangeContents(takeContents())).close();
        }
        return target;
    }

    private synchronized Contents takeContents() {
        Contents moved = contents;
        contents = new Contents(moved.config, null);
        return moved;
    }

    private synchronized Contents exchangeContents(Contents others) {
        Contents own = contents;
        contents = others;
        return own;
    }

    /** The memory, freed or not, unless this was moved away. */
    Allocation allocation() {
        return requireDeviceBuffers().allocation();
    }

    private DeviceBuffers requireDeviceBuffers() {
        DeviceBuffers buffers = contents.buffers;
        if (buffers == null) {
            throw new MeshRuntimeException("MeshBuffer: Tried to get reference buffer, but no local buffer found");
        }
        return buffers;
    }

    /** Adds the known history of this buffer to an error. */
    <E extends Throwable> E explaining(E error) {
        DeviceBuffers buffers = contents.buffers;
        return buffers == null ? error : StrictModeChecks.explained(error, buffers.allocation());
    }

    /** Returns the end of a sentence about the free of this buffer. */
    String siteOfFree() {
        DeviceBuffers buffers = contents.buffers;
        return buffers == null ? "" : buffers.allocation().siteOfFree();
    }

    /** Returns memory, address and size for a person to read. */
    @Override
    public String toString() {
        DeviceBuffers buffers = contents.buffers;
        return buffers == null
                ? String.format(Locale.ROOT, "MeshBuffer(%s, moved away)", type())
                : String.format(
                        Locale.ROOT,
                        "MeshBuffer(%s, %s at %s on each of %d devices, %s)",
                        type(),
                        Quantities.size(deviceLocalSize()),
                        Quantities.address(address()),
                        buffers.numDevices(),
                        state());
    }

    /** The requested configuration and, unless it was moved away, the memory. */
    @PartOfHandle
    private record Contents(
            MeshBufferConfig config, @Nullable DeviceBuffers buffers) {}
}
