package dev.meshguard.mesh;

import dev.meshguard.event.Quantities;
import dev.meshguard.mesh.Allocation.ReleaseReason;
import dev.meshguard.mesh.DeviceStorage.Share;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.runtime.HandleRelease;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.tracker.handle.PartOfHandle;
import java.lang.ref.Reference;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A handle to a tensor on a mesh: a {@link TensorSpec} and the memory it lies in. It has no data.
 *
 * <p><b>Sharing.</b> Several handles may share the memory: those that {@link #alias} makes are copies, those that
 * {@link #reshape} makes see it in another shape. Memory that is freed by force is gone for all of them. Without force it is
 * only freed through the last handle, which is what a destructor does and what {@link #close} does here. Where the real runtime
 * does nothing because others share the memory, the listener is reported.
 *
 * <p><b>In words of Python.</b> {@code ttnn.deallocate(tensor)} forces, {@code tensor.deallocate()} does not. A name that is
 * bound to something else, or goes out of scope, is {@link #close}; {@link HandleRelease} says what happens to a handle that
 * was forgotten.
 *
 * <p>A handle keeps its mesh reachable. What it says of itself stays true after its memory was freed, but for
 * {@link #isAllocated()}; address and buffer are then rejected. Safe for use by several threads: changes happen under the lock
 * of its mesh. Sources: {@code ttnn/core/tensor/tensor.cpp}, {@code ttnn/core/tensor/storage.cpp},
 * {@code tt_metal/impl/tensor/mesh_tensor.cpp}.
 *
 * @since 0.1
 */
@PartOfHandle
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Tensor implements AutoCloseable {

    private final TensorSpec spec;
    private final MeshDevice mesh;
    private final Allocation allocation;
    private final Share share;
    /** Nothing once this handle was closed: it must not keep from the collector what others may have lost. */
    private volatile @Nullable DeviceStorage storage;

    private Tensor(TensorSpec spec, MeshDevice mesh, DeviceStorage storage) {
        this.spec = spec;
        this.mesh = mesh;
        this.allocation = storage.buffer().allocation();
        this.share = storage.share();
        this.storage = storage;
    }

    /** Takes a buffer over that was made for it; called under the lock of the mesh. */
    static Tensor over(MeshBuffer buffer, TensorSpec spec) {
        return handle(spec, buffer.device(), new DeviceStorage(buffer));
    }

    private static Tensor handle(TensorSpec spec, MeshDevice mesh, DeviceStorage storage) {
        Tensor made = new Tensor(spec, mesh, storage);
        mesh.watch(made, made.share::giveUp);
        return made;
    }

    /**
     * Returns a tensor that takes a buffer over: freeing it frees the buffer.
     *
     * @param buffer where it lies
     * @param spec what lies there
     * @throws MeshRuntimeException if there is no buffer, it was freed, or what lies on each device does not fit into it
     * @throws IllegalArgumentException if the tensor cannot be distributed so
     */
    public static Tensor of(@Nullable MeshBuffer buffer, TensorSpec spec) {
        if (buffer == null) {
            throw new MeshRuntimeException(TensorMessages.MESH_BUFFER_NULL);
        }
        if (!buffer.isAllocated()) {
            throw buffer.explaining(new MeshRuntimeException(String.format(
                    Locale.ROOT,
                    "%s\n%s was freed%s",
                    TensorMessages.MESH_BUFFER_NOT_ALLOCATED,
                    buffer,
                    buffer.siteOfFree())));
        }
        MeshDevice mesh = buffer.device();
        if (buffer.deviceLocalSize() < spec.sizeOnDevice(mesh.shape().dimensions())) {
            throw new MeshRuntimeException(TensorMessages.MESH_BUFFER_TOO_SMALL);
        }
        return mesh.locked(() -> over(buffer, spec));
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

    /** Returns what the code under test says it is for, if it says so. */
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
        DeviceStorage mine = storage;
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
     * Returns another handle to the same memory, as a copy in C++ is, or what a Python operation returns that has nothing to do.
     *
     * @throws MeshRuntimeException if it was freed or closed
     */
    public Tensor alias() {
        return mesh.locked(() -> handle(spec, mesh, allocatedStorage()));
    }

    /**
     * Returns a handle that sees the same memory in another shape: a reinterpreted view.
     *
     * <p>That is what {@code reshape} comes to where the elements on each device can stay where they are: the last dimension is
     * the same, and, in tiles, the last but one is the same or has no padding. Otherwise the contents have to be moved into
     * memory of their own, which is an operation: {@link Ttnn#reshape}. For the same shape it is an {@link #alias()}.
     *
     * @param newShape the shape of the whole tensor, which is distributed as before
     * @throws MeshRuntimeException if it was freed or closed, or the shapes have different numbers of elements
     * @throws IllegalArgumentException if the contents would have to be moved, or cannot be distributed so
     */
    public Tensor reshape(TensorShape newShape) {
        allocatedStorage();
        if (!Shapes.canBeSeenAs(spec, newShape, mesh.shape())) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot see a %s tensor as %s without moving its contents: the last dimension on each device must stay the"
                            + " same, and in tiles the last but one must stay or be a multiple of 32. Use ttnn.reshape.",
                    shape(),
                    newShape));
        }
        return mesh.locked(() -> handle(spec.withShape(newShape), mesh, allocatedStorage()));
    }

    /** Returns whether nobody else shares the memory, so that it can be freed without force; not so once it was freed. */
    public boolean isSoleOwner() {
        return mesh.locked(() -> {
            DeviceStorage mine = storage;
            return mine != null && mine.buffer().isAllocated() && mine.hasOneHandle();
        });
    }

    /** Frees the memory unless others share it, as Python's {@code tensor.deallocate()} does; see {@link #deallocate(boolean)}. */
    public void deallocate() {
        deallocate(false);
    }

    /**
     * Frees the memory on all devices, for everybody who shares it.
     *
     * <p>The real runtime is silent when it does not: without force while others share the memory, or when there is nothing to
     * free. Here the listener is reported that a free was ignored, and why. This handle stays; only {@link #close} gives it up.
     *
     * @param force whether to free it even though others share it
     */
    public void deallocate(boolean force) {
        try {
            mesh.underLock(() -> free(force));
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Gives this handle up, and the memory with it unless others share it or it was freed before; the counterpart of a tensor that
     * goes out of scope. A second time does nothing.
     */
    @Override
    public void close() {
        try {
            mesh.underLock(this::giveUp);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Rejects to return data, of which a tensor here has none.
     *
     * @throws UnsupportedOperationException always
     */
    @SuppressWarnings(
            "DoNotCallSuggester") // Code that is carried over from hardware should compile and be told why it fails.
    public void toHost() {
        throw new UnsupportedOperationException(
                "This mesh is a fake: its tensors have shapes and addresses, but no data, and operations compute nothing."
                        + " Check shapes and allocations here, and values on hardware.");
    }

    private void free(boolean force) {
        DeviceStorage mine = storage;
        if (mine == null) {
            requireNotFreed();
        } else if (force || mine.hasOneHandle() || allocation.isFreed()) {
            mine.buffer().deallocate();
        } else if (mine.buffer().isAllocated()) {
            mesh.memory().releaseShared(allocation);
        }
    }

    /** What others still share is none of a handle that was given up. */
    private void requireNotFreed() {
        if (allocation.isFreed()) {
            mesh.free(allocation, ReleaseReason.DEALLOCATED);
        }
    }

    private void giveUp() {
        DeviceStorage mine = storage;
        if (mine != null) {
            if (mine.hasOneHandle()) {
                mine.buffer().close();
            }
            storage = null;
            share.giveUp();
        }
    }

    private DeviceStorage allocatedStorage() {
        DeviceStorage mine = storage;
        if (mine == null || !mine.buffer().isAllocated()) {
            throw unusable(TensorMessages.NOT_ALLOCATED + "\n" + state());
        }
        return mine;
    }

    /** Returns the error of an operation on a tensor without memory, with what a strict runtime remembers of that. */
    MeshRuntimeException unusable(String message) {
        MeshRuntimeException error = new MeshRuntimeException(message);
        DeviceStorage mine = storage;
        return mine == null ? error : mine.buffer().explaining(error);
    }

    /** Returns what became of its memory, and in a line of its own where it was freed, if the listener knows that. */
    String state() {
        if (storage == null && !allocation.isFreed()) {
            return name() + " was closed";
        }
        if (!allocation.isFreed() && mesh.isDestroyed()) {
            return String.format(Locale.ROOT, "%s is gone: mesh %d was destroyed", name(), mesh.id());
        }
        return name() + " was freed" + allocation.siteOfFree();
    }

    /** Returns shape, data type and place for a person to read. */
    @Override
    public String toString() {
        return description(", "
                + (isAllocated()
                        ? String.format(
                                Locale.ROOT, "%s at %s", allocation.type(), Quantities.address(allocation.address()))
                        : "<buffer is not allocated>"));
    }

    private String name() {
        return description("");
    }

    private String description(String place) {
        String name = label().map(label -> label + ", ").orElse("");
        return String.format(Locale.ROOT, "Tensor(%s%s, %s%s)", name, shape(), dataType(), place);
    }
}
