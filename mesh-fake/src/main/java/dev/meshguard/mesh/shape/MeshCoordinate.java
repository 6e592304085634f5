package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.text.InvariantText;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The coordinate of a device in a mesh.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code MeshCoordinate} in
 * {@code tt_metal/api/tt-metalium/mesh_coord.hpp} and {@code tt_metal/common/mesh_coord.cpp}.
 *
 * @param values the position in each dimension, from 0
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshCoordinate(List<Integer> values) {

    /**
     * Creates a coordinate with its own copy of the list.
     *
     * @throws IllegalArgumentException if there is no value or one is negative
     */
    public MeshCoordinate {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("A mesh coordinate needs at least one value: none is given");
        }
        for (int value : values) {
            if (value < 0) {
                throw new IllegalArgumentException(
                        InvariantText.of("Cannot use %d in a mesh coordinate: a value is 0 or more", value));
            }
        }
    }

    /** Returns the coordinate with the given values; {@code of(1, 2)} is the third device of the second row. */
    public static MeshCoordinate of(int... values) {
        return new MeshCoordinate(Arrays.stream(values).boxed().toList());
    }

    /**
     * Returns the coordinate of the first device.
     *
     * @param dims the number of dimensions
     * @throws IllegalArgumentException if there is no dimension
     */
    public static MeshCoordinate zeroCoordinate(int dims) {
        return new MeshCoordinate(Collections.nCopies(Math.max(0, dims), 0));
    }

    /** Returns the number of dimensions. */
    public int dims() {
        return values.size();
    }

    /**
     * Returns the position in a dimension.
     *
     * @param dimension its index, from 0
     * @throws MeshRuntimeException if there is no such dimension
     */
    public int get(int dimension) {
        if (dimension < 0 || dimension >= dims()) {
            throw new MeshRuntimeException("Index out of bounds: %d not in [0, %d)", dimension, dims());
        }
        return values.get(dimension);
    }

    /**
     * Returns the index in row-major order.
     *
     * @throws MeshRuntimeException if this does not lie in the shape
     */
    public int toLinearIndex(MeshShape shape) {
        if (shape.dims() != dims()) {
            throw new MeshRuntimeException(
                    "Shape and coordinate dimensions do not match: %d != %d", shape.dims(), dims());
        }
        int index = 0;
        for (int dimension = 0; dimension < dims(); dimension++) {
            if (values.get(dimension) >= shape.get(dimension)) {
                throw new MeshRuntimeException("Coordinate %s is out of bounds for shape %s", this, shape);
            }
            index = index * shape.get(dimension) + values.get(dimension);
        }
        return index;
    }

    /** Returns the coordinate as the runtime writes it: {@code MeshCoordinate([1, 2])}. */
    @Override
    public String toString() {
        return "MeshCoordinate(" + values + ")";
    }
}
