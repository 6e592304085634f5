package dev.meshguard.mesh.shape;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The place of a device in a mesh.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code MeshCoordinate} in
 * {@code tt_metal/api/tt-metalium/mesh_coord.hpp}.
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
                        String.format(Locale.ROOT, "Cannot use %d in a mesh coordinate: a value is 0 or more", value));
            }
        }
    }

    /** Returns the coordinate with the given values; {@code of(1, 2)} is the third device of the second row. */
    public static MeshCoordinate of(int... values) {
        return new MeshCoordinate(Arrays.stream(values).boxed().toList());
    }

    /**
     * Returns the place in row-major order.
     *
     * @throws IllegalArgumentException if this does not lie in the shape
     */
    public int toLinearIndex(MeshShape shape) {
        if (!isWithin(shape)) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "There is no device at %s: the mesh is %s, coordinates start at 0",
                    this,
                    shape.grid()));
        }
        int index = 0;
        for (int dimension = 0; dimension < values.size(); dimension++) {
            index = index * shape.dimensions().get(dimension) + values.get(dimension);
        }
        return index;
    }

    private boolean isWithin(MeshShape shape) {
        if (values.size() != shape.dims()) {
            return false;
        }
        for (int dimension = 0; dimension < values.size(); dimension++) {
            if (values.get(dimension) >= shape.dimensions().get(dimension)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the coordinate as the runtime writes it: {@code MeshCoordinate([1, 2])}. */
    @Override
    public String toString() {
        return "MeshCoordinate(" + values + ")";
    }
}
