package dev.meshguard.mesh.tensor;

import dev.meshguard.event.BufferType;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The properties of a tensor that determine its memory: shape, data type, layout, memory type and distribution.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * <pre>{@code
 * TensorSpec.of(TensorShape.of(8, 8, 512, 512), DataType.BFLOAT16)
 *         .distributed(TensorDistribution.sharded2d(0, 1))
 *         .named("kv-cache");
 * }</pre>
 *
 * @param shape the shape of the whole tensor
 * @param dataType the data type of an element
 * @param layout the division into pages
 * @param memory the memory, interleaved over the banks
 * @param distribution the distribution over the mesh
 * @param label the label that the code under test set, if any
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record TensorSpec(
        TensorShape shape,
        DataType dataType,
        TensorLayout layout,
        BufferType memory,
        TensorDistribution distribution,
        Optional<String> label) {

    /** Returns the spec of an unnamed tensor in tiles in DRAM, whole on every device. */
    public static TensorSpec of(TensorShape shape, DataType dataType) {
        return new TensorSpec(
                shape, dataType, TensorLayout.TILE, BufferType.DRAM, TensorDistribution.replicated(), Optional.empty());
    }

    /** Returns this spec with another shape. */
    public TensorSpec withShape(TensorShape newShape) {
        return new TensorSpec(newShape, dataType, layout, memory, distribution, label);
    }

    /** Returns this spec with another layout. */
    public TensorSpec withLayout(TensorLayout newLayout) {
        return new TensorSpec(shape, dataType, newLayout, memory, distribution, label);
    }

    /** Returns this spec in another memory. */
    public TensorSpec in(BufferType newMemory) {
        return new TensorSpec(shape, dataType, layout, newMemory, distribution, label);
    }

    /** Returns this spec with another distribution. */
    public TensorSpec distributed(TensorDistribution newDistribution) {
        return new TensorSpec(shape, dataType, layout, memory, newDistribution, label);
    }

    /** Returns this spec with a name, which reports carry as the label of the buffers. */
    public TensorSpec named(String newLabel) {
        return new TensorSpec(shape, dataType, layout, memory, distribution, Optional.of(newLabel));
    }

    /** Returns this spec without a name; two tensors that differ in name only need the same programs. */
    public TensorSpec unnamed() {
        return label.isEmpty() ? this : new TensorSpec(shape, dataType, layout, memory, distribution, Optional.empty());
    }

    /**
     * Returns the bytes on each device.
     *
     * @param mesh the size of the mesh in each of its dimensions
     * @throws IllegalArgumentException if the tensor cannot be distributed so
     */
    public long sizeOnDevice(List<Integer> mesh) {
        return layout.size(distribution.shapeOnDevice(shape, mesh), dataType);
    }

    /**
     * Returns the bytes of a page on each device.
     *
     * @param mesh the size of the mesh in each of its dimensions
     * @throws IllegalArgumentException if the tensor cannot be distributed so
     */
    public long pageSizeOnDevice(List<Integer> mesh) {
        return layout.pageSize(distribution.shapeOnDevice(shape, mesh), dataType);
    }
}
