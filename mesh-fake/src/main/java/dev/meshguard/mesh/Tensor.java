package dev.meshguard.mesh;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.mesh.tensor.TensorSpec;
import dev.meshguard.tracker.Quantities;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A tensor on a mesh: a {@link TensorSpec} and the mesh buffer it lies in. It has no data.
 *
 * <p>Immutable but for whether it is allocated; safe for use by several threads, as its buffer is. Source:
 * {@code ttnn/core/tensor/tensor.cpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Tensor implements AutoCloseable {

    private final TensorSpec spec;
    private final MeshBuffer buffer;

    Tensor(TensorSpec spec, MeshBuffer buffer) {
        this.spec = spec;
        this.buffer = buffer;
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
        return buffer.device();
    }

    /** Returns whether it was not freed; closing the mesh does not change that. */
    public boolean isAllocated() {
        return buffer.isAllocated();
    }

    /**
     * Returns the buffer it lies in.
     *
     * @throws MeshRuntimeException if it was freed
     */
    public MeshBuffer buffer() {
        if (!isAllocated()) {
            throw buffer.explaining(new MeshRuntimeException("Tensor is not allocated"));
        }
        return buffer;
    }

    /**
     * Returns the address on every device.
     *
     * @throws MeshRuntimeException if it was freed
     */
    public long address() {
        return buffer().address();
    }

    /**
     * Gives the memory back on all devices, as {@code ttnn.deallocate(tensor)} does.
     *
     * <p>The real runtime is silent when there is nothing to give back; here the listener is told that a second free was ignored.
     */
    public void deallocate() {
        buffer.deallocate();
    }

    /** Gives the memory back unless that was done before; the counterpart of a tensor that goes out of scope. */
    @Override
    public void close() {
        buffer.close();
    }

    /**
     * Refuses to return data, of which a tensor here has none.
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

    /** Returns shape, data type and place for a person to read. */
    @Override
    public String toString() {
        String name = label().map(label -> label + ", ").orElse("");
        String place = isAllocated()
                ? String.format(Locale.ROOT, "%s at %s", buffer.type(), Quantities.address(buffer.address()))
                : "<buffer is not allocated>";
        return String.format(Locale.ROOT, "Tensor(%s%s, %s, %s)", name, shape(), dataType(), place);
    }
}
