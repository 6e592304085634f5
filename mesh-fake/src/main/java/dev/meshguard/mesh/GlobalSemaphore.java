package dev.meshguard.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.DeviceOutOfMemoryException;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.CoreRangeSet;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.lang.ref.Reference;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A counter in the L1 of some cores of all devices, at one address, by which programs wait for each other.
 *
 * <p>It lies in an ordinary buffer with a page of 4 bytes on each core, and so takes the alignment of DRAM in every bank. It keeps
 * that until it is closed, and counts as a leak if it is not: reports name it as {@link #owner}. Created by
 * {@link Ttnn#createGlobalSemaphore}.
 *
 * <p>Safe for use by several threads: changes happen under the lock of its mesh. Source:
 * {@code tt_metal/impl/buffers/global_semaphore.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class GlobalSemaphore implements AutoCloseable {

    private static final long VALUE_SIZE = 4;

    private final MeshDevice mesh;
    private final Owner owner;
    private final CoreRangeSet cores;
    private final Allocation buffer;

    private GlobalSemaphore(MeshDevice mesh, Owner owner, CoreRangeSet cores, Allocation buffer) {
        this.mesh = mesh;
        this.owner = owner;
        this.cores = cores;
        this.buffer = buffer;
    }

    /**
     * Creates a semaphore.
     *
     * @throws DeviceOutOfMemoryException if there is no room
     * @throws MeshRuntimeException if the mesh is closed, there is no core, or the memory is neither L1 nor L1_SMALL
     */
    static GlobalSemaphore on(MeshDevice mesh, int number, CoreRangeSet cores, BufferType type) {
        if (type != BufferType.L1 && type != BufferType.L1_SMALL) {
            throw new MeshRuntimeException("Global semaphore can only be created for L1 buffer types");
        }
        if (cores.numCores() == 0) {
            throw new MeshRuntimeException("CoreRangeSet must have at least one core");
        }
        Owner owner = new Owner(Owner.Kind.OTHER, InvariantText.of("global semaphore %d", number));
        BufferConfig config =
                BufferConfig.of(type, VALUE_SIZE * cores.numCores(), VALUE_SIZE).heightSharded(cores);
        Allocation buffer = mesh.allocateFor(owner, config);
        return mesh.context().freedWith(new GlobalSemaphore(mesh, owner, cores, buffer), buffer);
    }

    /** Returns the mesh. */
    public MeshDevice device() {
        return mesh;
    }

    /** Returns its name in reports, for example {@code global semaphore 1}. */
    public Owner owner() {
        return owner;
    }

    /** Returns the cores that have it. */
    public CoreRangeSet cores() {
        return cores;
    }

    /** Returns the memory it lies in. */
    public BufferType type() {
        return buffer.type();
    }

    /** Returns the address on every core of every device, also after it was closed. */
    public long address() {
        return buffer.address();
    }

    /** Returns whether it was not closed and its mesh was not destroyed. */
    public boolean isAllocated() {
        return !buffer.isFreed() && !mesh.isDestroyed();
    }

    /** Frees the memory. A second call does nothing and reports nothing. */
    @Override
    public void close() {
        try {
            mesh.freeIfAllocated(buffer, ReleaseReason.DIED);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns name, memory and address for a person to read. */
    @Override
    public String toString() {
        return InvariantText.of(
                "GlobalSemaphore(%s, %s at %s on %s%s)",
                owner, type(), Quantities.address(address()), cores, buffer.isFreed() ? ", closed" : "");
    }
}
