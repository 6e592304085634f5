package dev.meshguard.mesh;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.BankLayout;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.buffer.BufferRegion;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.Kind;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import java.lang.ref.Reference;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A buffer on one device, or the backing buffer of a mesh buffer.
 *
 * <p>It either owns its memory ({@link MeshDevice#allocateOn}, {@link MeshBuffer#backingBuffer}), or lies at an address that
 * another buffer owns ({@link MeshDevice#viewOn}, {@link MeshBuffer#deviceBuffer}, {@link #view}). It is allocated when it is
 * returned. It keeps its state when its mesh closes, as in the real runtime, which does not notify it.
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
    private final int device;
    private final long uniqueId;
    private final Allocation allocation;
    private final boolean partOfMeshBuffer;
    private final @Nullable View view;

    @SuppressWarnings(
            "UnusedVariable") // Keeps the mesh buffer's memory from being freed with the mesh buffer's handle.
    private final @Nullable DeviceBuffers madeFor;

    private final BufferConfig config;

    private Buffer(
            MeshDevice mesh,
            int device,
            long uniqueId,
            BufferConfig config,
            Allocation allocation,
            boolean partOfMeshBuffer,
            @Nullable View view,
            @Nullable DeviceBuffers madeFor) {
        this.mesh = mesh;
        this.device = device;
        this.uniqueId = uniqueId;
        this.config = config;
        this.allocation = allocation;
        this.partOfMeshBuffer = partOfMeshBuffer;
        this.view = view;
        this.madeFor = madeFor;
    }

    /** A buffer on a device alone, whether it owns its memory or not. */
    static Buffer of(MeshDevice mesh, int device, BufferConfig config, Allocation allocation) {
        return new Buffer(mesh, device, allocation.firstId(), config, allocation, false, null, null);
    }

    /** Creates the buffer that owns the memory of a mesh buffer; its device is the mesh. */
    static Buffer backing(MeshDevice mesh, BufferConfig config, Allocation allocation, DeviceBuffers madeFor) {
        return new Buffer(mesh, mesh.id(), allocation.firstId(), config, allocation, false, null, madeFor);
    }

    /** Creates the part of a mesh buffer on one device; code under test cannot free it separately. */
    static Buffer partOfMeshBuffer(
            MeshDevice mesh,
            int device,
            long uniqueId,
            BufferConfig config,
            Allocation allocation,
            DeviceBuffers madeFor) {
        return new Buffer(mesh, device, uniqueId, config, allocation, true, null, madeFor);
    }

    /** Returns the id of the device. For a backing buffer this is the id of the mesh. */
    public int device() {
        return device;
    }

    /** Returns its number, which no other buffer of its {@link Ttnn} has; later buffers have higher ones (quirk Q12). */
    public long uniqueId() {
        return uniqueId;
    }

    /** Returns the requested configuration. */
    public BufferConfig config() {
        return config;
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

    /** Returns the bytes of a page. */
    public long pageSize() {
        return config.pageSize();
    }

    /** Returns the number of pages. */
    public long numPages() {
        return config.numPages();
    }

    /** Returns how it lies in the banks of its memory, with the sizes that follow from that. */
    public BankLayout layout() {
        return BankLayout.of(config, mesh.context().memory().allocatorOf(allocation));
    }

    /** Returns the label that the code under test set, if any. */
    public Optional<String> label() {
        return allocation.details().label();
    }

    /**
     * Returns a buffer for a part of its pages, or this one if the part is the whole.
     *
     * <p>It has the same address, because its first page may lie in any bank. It owns no memory; it keeps the owning buffer
     * reachable. {@link dev.meshguard.mesh.runtime.ReportingModel#TRACKING_BRANCH} reports it like any buffer that owns
     * nothing.
     *
     * @throws MeshRuntimeException if the region does not lie in this, cuts through a page, or the mesh is closed
     */
    public Buffer view(BufferRegion region) {
        region.requireViewable(size(), pageSize());
        if (region.isWhole(size())) {
            return this;
        }
        BufferConfig part = config.deviceLocal().sized(region.size());
        long rootOffset = rootBufferRegion().offset() + region.offset();
        Allocation pointer = isOfWholeMesh() ? mesh.pointTo(part, address()) : mesh.pointTo(device, part, address());
        View newView = new View(rootBuffer(), rootOffset);
        return mesh.context()
                .freedWith(new Buffer(mesh, device, pointer.firstId(), part, pointer, false, newView, null), pointer);
    }

    /** Returns the buffer at the end of the chain of views; this buffer if it is not a view. */
    public Buffer rootBuffer() {
        return view == null ? this : view.root;
    }

    /** Returns the part of the root buffer that it is. */
    public BufferRegion rootBufferRegion() {
        return new BufferRegion(view == null ? 0 : view.offset, size());
    }

    /** Returns whether it allocated its memory from an allocator. */
    public boolean ownsMemory() {
        return !partOfMeshBuffer && (allocation.kind() == Kind.ON_ONE_DEVICE || allocation.kind() == Kind.LOCK_STEP);
    }

    /**
     * Returns whether it was not freed; closing the mesh does not change that.
     *
     * <p>A device's part of a mesh buffer is never freed separately and always returns {@code true}.
     */
    public boolean isAllocated() {
        return partOfMeshBuffer || !allocation.isFreed();
    }

    /**
     * Frees the memory.
     *
     * <p>The real runtime silently ignores a second free; here the listener receives a report that the free was ignored. A
     * buffer that owns nothing stays allocated. The exception is a runtime that reports views
     * ({@link dev.meshguard.mesh.runtime.ReportingModel#TRACKING_BRANCH}): it ends them here, and reports that.
     */
    public void deallocate() {
        try {
            if (ownsMemory() || isReportedView()) {
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
            if (!partOfMeshBuffer) {
                mesh.freeIfAllocated(allocation);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private boolean isReportedView() {
        return !partOfMeshBuffer && mesh.context().reports().concern(allocation);
    }

    private boolean isOfWholeMesh() {
        return !partOfMeshBuffer && (allocation.kind() == Kind.LOCK_STEP || allocation.kind() == Kind.VIEW_ON_MESH);
    }

    /** Returns memory, address and size for a person to read. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "Buffer(%s %d, %s, %s at %s%s)",
                isOfWholeMesh() ? "mesh" : "device",
                device,
                type(),
                Quantities.size(size()),
                Quantities.address(address()),
                isAllocated() ? "" : ", deallocated");
    }

    /** The buffer and the region of a view. */
    @PartOfHandle
    private record View(Buffer root, long offset) {}
}
