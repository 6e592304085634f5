package dev.meshguard.mesh.tensor;

import dev.meshguard.text.InvariantText;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The distribution of a tensor over the devices of a mesh.
 *
 * <p>It corresponds to ttnn's mesh mappers ({@code ttnn/ttnn/distributed/distributed.py}). All implementations are immutable.
 * Only even splits are supported. If a split is uneven, the real mappers pad or leave devices empty, and the devices of one
 * buffer would differ.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface TensorDistribution {

    /** Returns the distribution that puts the whole tensor on every device. */
    static TensorDistribution replicated() {
        return new Replicated();
    }

    /**
     * Returns the distribution that splits one dimension over all devices, in row-major order.
     *
     * @param dimension its index; negative ones count from the end
     */
    static TensorDistribution sharded(int dimension) {
        return new Sharded(dimension);
    }

    /**
     * Returns the distribution that splits one dimension over the rows of the mesh and another over its columns.
     *
     * @param dimension0 the dimension split over the rows; negative ones count from the end
     * @param dimension1 the dimension split over the columns; negative ones count from the end
     */
    static TensorDistribution sharded2d(int dimension0, int dimension1) {
        return new Sharded2d(dimension0, dimension1);
    }

    /**
     * Returns the shape of the part on each device.
     *
     * @param shape the shape of the whole tensor
     * @param mesh the size of the mesh in each of its dimensions
     * @throws IllegalArgumentException if the tensor does not divide evenly, or the mesh has another number of dimensions than
     *     the distribution needs
     */
    TensorShape shapeOnDevice(TensorShape shape, List<Integer> mesh);

    /**
     * Returns the shape of the whole tensor from the shape on each device: the inverse of {@link #shapeOnDevice}.
     *
     * @param shapeOnDevice the shape of the part on each device
     * @param mesh the size of the mesh in each of its dimensions
     * @throws IllegalArgumentException if the mesh has another number of dimensions than the distribution needs
     */
    TensorShape wholeShape(TensorShape shapeOnDevice, List<Integer> mesh);

    /** Returns whether devices hold different parts. */
    default boolean isSharded() {
        return true;
    }

    /**
     * The whole tensor on every device.
     *
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    record Replicated() implements TensorDistribution {

        @Override
        public TensorShape shapeOnDevice(TensorShape shape, List<Integer> mesh) {
            return shape;
        }

        @Override
        public TensorShape wholeShape(TensorShape shapeOnDevice, List<Integer> mesh) {
            return shapeOnDevice;
        }

        @Override
        public boolean isSharded() {
            return false;
        }
    }

    /**
     * One dimension split over all devices.
     *
     * @param dimension its index; negative ones count from the end
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    record Sharded(int dimension) implements TensorDistribution {

        @Override
        public TensorShape shapeOnDevice(TensorShape shape, List<Integer> mesh) {
            return divided(shape, dimension, devices(mesh), "devices");
        }

        @Override
        public TensorShape wholeShape(TensorShape shapeOnDevice, List<Integer> mesh) {
            return multiplied(shapeOnDevice, dimension, devices(mesh));
        }

        private static int devices(List<Integer> mesh) {
            return mesh.stream().reduce(1, Math::multiplyExact);
        }
    }

    /**
     * Two dimensions split over rows and columns of the mesh.
     *
     * @param dimension0 the dimension split over the rows; negative ones count from the end
     * @param dimension1 the dimension split over the columns; negative ones count from the end
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    record Sharded2d(int dimension0, int dimension1) implements TensorDistribution {

        @Override
        public TensorShape shapeOnDevice(TensorShape shape, List<Integer> mesh) {
            requireTwoDimensions(mesh);
            TensorShape row = divided(shape, dimension0, mesh.get(0), "mesh rows");
            return divided(row, dimension1, mesh.get(1), "mesh columns");
        }

        @Override
        public TensorShape wholeShape(TensorShape shapeOnDevice, List<Integer> mesh) {
            requireTwoDimensions(mesh);
            return multiplied(multiplied(shapeOnDevice, dimension0, mesh.get(0)), dimension1, mesh.get(1));
        }

        private static void requireTwoDimensions(List<Integer> mesh) {
            if (mesh.size() != 2) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot shard a tensor over rows and columns of a mesh of %d dimensions."
                                + " Use TensorDistribution.sharded(dimension) instead.",
                        mesh.size()));
            }
        }
    }

    private static TensorShape divided(TensorShape shape, int dimension, int parts, String over) {
        int size = shape.get(dimension);
        if (size % parts != 0) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot shard dimension %d of a %s tensor over %d %s: %d does not divide evenly by %d."
                            + " Pad the dimension to %d, or replicate the tensor.",
                    dimension, shape, parts, over, size, parts, (size + parts - 1) / parts * parts));
        }
        return shape.with(dimension, size / parts);
    }

    private static TensorShape multiplied(TensorShape shape, int dimension, int parts) {
        return shape.with(dimension, Math.multiplyExact(shape.get(dimension), parts));
    }
}
