package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The number of devices along each dimension of a mesh.
 *
 * <p>A size of 0 is allowed, as in the runtime, which rejects such a shape only where devices are needed. Immutable and safe
 * for use by several threads. Sources: {@code MeshShape} in {@code tt_metal/api/tt-metalium/mesh_coord.hpp}, {@code ShapeBase}
 * in {@code tt_metal/common/shape_base.cpp}.
 *
 * @param dimensions the sizes, outermost first, each 0 or more
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshShape(List<Integer> dimensions) {

    /**
     * Creates a shape with its own copy of the list.
     *
     * @throws MeshRuntimeException if there is no dimension
     * @throws IllegalArgumentException if a dimension is negative, or there are more devices than an {@code int} counts
     */
    public MeshShape {
        dimensions = List.copyOf(dimensions);
        if (dimensions.isEmpty()) {
            throw new MeshRuntimeException("MeshShape cannot have 0 dimension.");
        }
        long devices = 1;
        for (int size : dimensions) {
            if (size < 0) {
                throw new IllegalArgumentException(
                        InvariantText.of("Cannot use %d as a dimension of a mesh: a dimension is 0 or more", size));
            }
            devices *= Math.max(1, size);
            if (devices > Integer.MAX_VALUE) {
                throw new IllegalArgumentException(InvariantText.of(
                        "Cannot use %s as the shape of a mesh: it has more than %d devices",
                        dimensions, Integer.MAX_VALUE));
            }
        }
    }

    /** Returns the shape with the given sizes, outermost first; {@code of(2, 4)} has two rows of four devices. */
    public static MeshShape of(int... dimensions) {
        List<Integer> sizes = new ArrayList<>(dimensions.length);
        for (int size : dimensions) {
            sizes.add(size);
        }
        return new MeshShape(sizes);
    }

    /** Returns the number of dimensions. */
    public int dims() {
        return dimensions.size();
    }

    /**
     * Returns the size of a dimension.
     *
     * @param dimension its index, from 0; Python also counts from the end, on which no memory depends
     * @throws MeshRuntimeException if there is no such dimension
     */
    public int get(int dimension) {
        if (dimension < 0 || dimension >= dims()) {
            throw new MeshRuntimeException("ShapeBase[] index out of range. %d not in [0, %d)", dimension, dims());
        }
        return dimensions.get(dimension);
    }

    /** Returns the number of devices. */
    public int meshSize() {
        int product = 1;
        for (int size : dimensions) {
            product *= size;
        }
        return product;
    }

    /** Returns whether at most one dimension has another size than 1. */
    public boolean isLineTopology() {
        int others = 0;
        for (int size : dimensions) {
            others += size == 1 ? 0 : 1;
        }
        return others <= 1;
    }

    /** Returns the sizes as a person writes them: {@code 2x4}. */
    public String grid() {
        StringBuilder grid = new StringBuilder();
        for (int size : dimensions) {
            grid.append(grid.length() == 0 ? "" : "x").append(size);
        }
        return grid.toString();
    }

    /** Returns the shape as the runtime writes it: {@code MeshShape([2, 4])}. */
    @Override
    public String toString() {
        return "MeshShape(" + dimensions + ")";
    }
}
