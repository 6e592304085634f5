package dev.meshguard.mesh;

import dev.meshguard.handle.PartOfHandle;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.internal.allocation.Allocation;
import dev.meshguard.mesh.internal.allocation.Allocation.ReleaseReason;
import dev.meshguard.mesh.internal.context.MeshLock;
import dev.meshguard.mesh.internal.tensor.HandleCount;
import dev.meshguard.mesh.internal.tensor.Shapes;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.lang.ref.Reference;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A handle to a tensor on a mesh: a {@link TensorSpec} and its memory. It has no data.
 *
 * <p><b>Sharing.</b> Several handles may share the memory. {@link #alias} creates copies; {@link #reshape} creates handles with
 * another shape. A free by force frees the memory for all of them. Without force only the last handle frees the memory. This is
 * the behaviour of a destructor, and of {@link #close} here. If the real runtime does nothing because others share the memory,
 * the listener receives a report.
 *
 * <p><b>Python equivalents.</b> {@code ttnn.deallocate(tensor)} forces, {@code tensor.deallocate()} does not. {@link #close}
 * corresponds to a name that is rebound or goes out of scope. {@link HandleRelease} defines what happens to a lost handle.
 *
 * <p>A handle keeps its mesh reachable. Its properties stay valid after its memory was freed, except {@link #isAllocated()};
 * access to address and buffer then fails. Safe for use by several threads: changes happen under the lock of its mesh. Sources:
 * {@code ttnn/core/tensor/tensor.cpp}, {@code ttnn/core/tensor/storage.cpp}, {@code tt_metal/impl/tensor/mesh_tensor.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Tensor implements AutoCloseable {

    static final String NOT_ALLOCATED = "Tensor is not allocated";

    private final TensorSpec spec;
    private final MeshDevice mesh;
    private final Allocation allocation;
    private final HandleCount.Share share;
    /** Null after this handle was closed, so that it does not keep memory reachable that other code may have lost. */
    private volatile @Nullable Storage storage;

    private Tensor(TensorSpec spec, MeshDevice mesh, Storage storage) {
        this.spec = spec;
        this.mesh = mesh;
        this.allocation = storage.buffer().allocation();
        this.share = storage.handles().share();
        this.storage = storage;
    }

    /** Takes a buffer over that was made for it; called under the lock of the mesh. */
    static Tensor over(MeshBuffer buffer, TensorSpec spec) {
        return handle(spec, buffer.device(), new Storage(buffer, new HandleCount()));
    }

    private static Tensor handle(TensorSpec spec, MeshDevice mesh, Storage storage) {
        Tensor made = new Tensor(spec, mesh, storage);
        mesh.context().lock().watch(made, made.share::giveUp);
        return made;
    }

    /**
     * Returns a tensor that owns a buffer: freeing it frees the buffer.
     *
     * @param buffer the memory of the tensor
     * @param spec the properties of the tensor
     * @throws MeshRuntimeException if there is no buffer, it was freed, or the part on a device does not fit into it
     * @throws IllegalArgumentException if this distribution of the tensor is not possible
     */
    public static Tensor of(@Nullable MeshBuffer buffer, TensorSpec spec) {
        if (buffer == null) {
            throw new MeshRuntimeException("MeshBuffer cannot be nullptr.");
        }
        if (!buffer.isAllocated()) {
            throw buffer.explaining(new MeshRuntimeException(
                    "%s\n%s was freed%s",
                    "MeshBuffer must be allocated.", buffer, buffer.allocation().siteOfFree()));
        }
        MeshDevice mesh = buffer.device();
        if (buffer.size() < spec.sizeOnDevice(mesh.shape().dimensions())) {
            throw new MeshRuntimeException("MeshBuffer must be large enough to hold the tensor.");
        }
        try (MeshLock held = mesh.context().lock().acquire()) {
            return over(buffer, spec);
        }
    }

    /** Returns everything that decides how much memory it takes. */
    public TensorSpec spec() {
        return spec;
    }

    /** Returns the shape of the whole tensor. */
    public TensorShape shape() {
        return spec.shape();
    }

    /** Returns how an element is stored. */
    public DataType dataType() {
        return spec.dataType();
    }

    /** Returns the label that the code under test set, if any. */
    public Optional<String> label() {
        return spec.label();
    }

    /**
     * Returns the mesh it lies on, also after it was freed.
     *
     * @throws MeshRuntimeException if the mesh was destroyed
     */
    public MeshDevice device() {
        if (mesh.isDestroyed()) {
            throw new MeshRuntimeException("Can't get device from mesh buffer, already deallocated");
        }
        return mesh;
    }

    /** Returns whether it was neither freed nor closed; closing the mesh does not change that, destroying it does. */
    public boolean isAllocated() {
        Storage mine = storage;
        return mine != null && mine.buffer().isAllocated();
    }

    /**
     * Returns the buffer it lies in; a view lies in that of its root.
     *
     * @throws MeshRuntimeException if it was freed or closed
     */
    public MeshBuffer buffer() {
        return allocatedStorage().buffer();
    }

    /**
     * Returns the address on every device.
     *
     * @throws MeshRuntimeException if it was freed or closed
     */
    public long address() {
        return buffer().address();
    }

    /**
     * Returns another handle to the same memory, like a copy in C++, or like the result of a Python operation without work to
     * do.
     *
     * @throws MeshRuntimeException if it was freed or closed
     */
    public Tensor alias() {
        try (MeshLock held = lock()) {
            return handle(spec, mesh, allocatedStorage());
        }
    }

    /**
     * Returns a handle to the same memory with another shape: a reinterpreted view.
     *
     * <p>This is possible if the elements on each device keep their positions: the last dimension is the same and, in tiles,
     * the last but one is the same or has no padding. Otherwise an operation must move the contents into memory of their own:
     * {@link Ttnn#reshape}. For the same shape this is an {@link #alias()}.
     *
     * @param newShape the shape of the whole tensor; the distribution does not change
     * @throws MeshRuntimeException if it was freed or closed, or the shapes have different numbers of elements
     * @throws IllegalArgumentException if the contents would have to be moved, or this distribution is not possible
     */
    public Tensor reshape(TensorShape newShape) {
        allocatedStorage();
        if (!Shapes.canBeSeenAs(spec, newShape, mesh.shape())) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot see a %s tensor as %s without moving its contents: the last dimension on each device must stay the"
                            + " same, and in tiles the last but one must stay or be a multiple of 32. Use ttnn.reshape.",
                    shape(), newShape));
        }
        try (MeshLock held = lock()) {
            return handle(spec.withShape(newShape), mesh, allocatedStorage());
        }
    }

    /** Returns whether this is the only handle to the memory, so that it can be freed without force; false after a free. */
    public boolean isSoleOwner() {
        try (MeshLock held = lock()) {
            Storage mine = storage;
            return mine != null && mine.buffer().isAllocated() && mine.handles().isOne();
        }
    }

    /** Frees the memory unless others share it, as Python's {@code tensor.deallocate()} does; see {@link #deallocate(boolean)}. */
    public void deallocate() {
        deallocate(false);
    }

    /**
     * Frees the memory on all devices, for all handles that share it.
     *
     * <p>The real runtime silently ignores the call without force while others share the memory, or if there is nothing to
     * free. Here the listener receives a report that a free was ignored, with the reason. This handle stays open until
     * {@link #close}.
     *
     * @param force whether to free the memory even if others share it
     */
    public void deallocate(boolean force) {
        try (MeshLock held = lock()) {
            free(force);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Closes this handle. It corresponds to a tensor that goes out of scope.
     *
     * <p>The memory is freed when the last handle is closed, unless it was freed before. {@link #deallocate(boolean)} with force
     * frees it at once, for all handles, and leaves this handle open. After {@code close()} this handle can no longer be used,
     * even if others still share the memory. A second call does nothing and reports nothing, and so does a call after the
     * memory was freed.
     */
    @Override
    public void close() {
        try (MeshLock held = lock()) {
            giveUp();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private MeshLock lock() {
        return mesh.context().lock().acquire();
    }

    private void free(boolean force) {
        Storage mine = storage;
        if (mine == null) {
            if (allocation.isFreed()) { // A closed handle cannot access memory that others still share.
                mesh.free(allocation, ReleaseReason.DEALLOCATED);
            }
        } else if (force || mine.handles().isOne() || allocation.isFreed()) {
            mine.buffer().deallocate();
        } else if (mine.buffer().isAllocated()) {
            mesh.context().memory().releaseShared(allocation);
        }
    }

    private void giveUp() {
        Storage mine = storage;
        if (mine != null) {
            if (mine.handles().isOne()) {
                mine.buffer().close();
            }
            storage = null;
            share.giveUp();
        }
    }

    private Storage allocatedStorage() {
        Storage mine = storage;
        if (mine == null || !mine.buffer().isAllocated()) {
            throw unusable(NOT_ALLOCATED + "\n" + state());
        }
        return mine;
    }

    /** Returns the error of an operation on a tensor without memory, with the history that a strict runtime recorded. */
    MeshRuntimeException unusable(String message) {
        MeshRuntimeException error = new MeshRuntimeException(message);
        Storage mine = storage;
        return mine == null ? error : mine.buffer().explaining(error);
    }

    /** Returns the state of its memory and, in a line of its own, the call site of the free, if the listener has it. */
    String state() {
        if (storage == null && !allocation.isFreed()) {
            return name() + " was closed";
        }
        if (!allocation.isFreed() && mesh.isDestroyed()) {
            return InvariantText.of("%s is gone: mesh %d was destroyed", name(), mesh.id());
        }
        return name() + " was freed" + allocation.siteOfFree();
    }

    /** Returns shape, data type and device in readable form. */
    @Override
    public String toString() {
        return description(", "
                + (isAllocated()
                        ? InvariantText.of("%s at %s", allocation.type(), Quantities.address(allocation.address()))
                        : "<buffer is not allocated>"));
    }

    private String name() {
        return description("");
    }

    private String description(String place) {
        String name = label().map(label -> label + ", ").orElse("");
        return InvariantText.of("Tensor(%s%s, %s%s)", name, shape(), dataType(), place);
    }

    /**
     * The memory, which all handles share. Freed memory leaves the buffer as a tombstone with its address and its mesh.
     */
    @PartOfHandle
    private record Storage(MeshBuffer buffer, HandleCount handles) {}
}
