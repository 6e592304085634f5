package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The coordinate of a device in a mesh.
 *
 * <p>Ordered lexicographically, the first dimension first. Only coordinates with the same number of dimensions can be compared.
 * Immutable and safe for use by several threads. Source: {@code MeshCoordinate} in
 * {@code tt_metal/api/tt-metalium/mesh_coord.hpp} and {@code tt_metal/common/mesh_coord.cpp}.
 *
 * @param values the position in each dimension, from 0
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshCoordinate(List<Integer> values) implements Comparable<MeshCoordinate> {

    /**
     * The behaviour of {@link #neighbour} at the edge of a mesh.
     *
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public enum BoundaryMode {
        /** Continues at the opposite edge. */
        WRAP,
        /** It stops at the edge. */
        CLAMP,
        /** Finds no neighbour beyond the edge. */
        NONE
    }

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
     * @param dimension its index; negative ones count from the end, as in Python
     * @throws MeshRuntimeException if there is no such dimension
     */
    public int get(int dimension) {
        return values.get(index(dimension));
    }

    /**
     * Returns this coordinate with another position in one dimension.
     *
     * @param dimension its index; negative ones count from the end
     * @throws MeshRuntimeException if there is no such dimension
     * @throws IllegalArgumentException if the position is negative
     */
    public MeshCoordinate with(int dimension, int value) {
        List<Integer> changed = new ArrayList<>(values);
        changed.set(index(dimension), value);
        return new MeshCoordinate(changed);
    }

    /**
     * Returns the index in row-major order.
     *
     * @throws MeshRuntimeException if this does not lie in the shape
     */
    public int toLinearIndex(MeshShape shape) {
        requireWithin(shape);
        int index = 0;
        for (int dimension = 0; dimension < dims(); dimension++) {
            index = index * shape.get(dimension) + values.get(dimension);
        }
        return index;
    }

    /**
     * Returns the coordinate some steps away in a mesh whose edges are joined; see {@link BoundaryMode#WRAP}.
     *
     * @param offset the number of steps; negative ones go backwards
     * @param dimension the index of the dimension; negative ones count from the end
     * @throws MeshRuntimeException if this does not lie in the shape, or there is no such dimension
     */
    public MeshCoordinate neighbour(MeshShape shape, int offset, int dimension) {
        requireWithin(shape);
        int along = index(dimension);
        return with(along, Math.floorMod((long) values.get(along) + offset, shape.get(along)));
    }

    /**
     * Returns the coordinate some steps away; empty if it lies beyond the edge and the mode is {@link BoundaryMode#NONE}.
     *
     * @param offset the number of steps; negative ones go backwards
     * @param dimension the index of the dimension; negative ones count from the end
     * @param mode what happens at the edge
     * @throws MeshRuntimeException if this does not lie in the shape, or there is no such dimension
     */
    public Optional<MeshCoordinate> neighbour(MeshShape shape, int offset, int dimension, BoundaryMode mode) {
        requireWithin(shape);
        int along = index(dimension);
        int last = shape.get(along) - 1;
        long position = (long) values.get(along) + offset;
        return switch (mode) {
            case WRAP -> Optional.of(neighbour(shape, offset, along));
            case CLAMP -> Optional.of(with(along, (int) Math.max(0, Math.min(position, last))));
            case NONE -> position < 0 || position > last ? Optional.empty() : Optional.of(with(along, (int) position));
        };
    }

    /**
     * Compares position by position.
     *
     * @throws MeshRuntimeException if the other coordinate has another number of dimensions
     */
    @Override
    public int compareTo(MeshCoordinate other) {
        if (dims() != other.dims()) {
            throw new MeshRuntimeException(ShapeMessages.coordinatesNotComparable(dims(), other.dims()));
        }
        for (int dimension = 0; dimension < dims(); dimension++) {
            int order = Integer.compare(values.get(dimension), other.values.get(dimension));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Returns the coordinate as the runtime writes it: {@code MeshCoordinate([1, 2])}. */
    @Override
    public String toString() {
        return "MeshCoordinate(" + values + ")";
    }

    private void requireWithin(MeshShape shape) {
        if (shape.dims() != dims()) {
            throw new MeshRuntimeException(ShapeMessages.shapeAndCoordinateDimensions(shape.dims(), dims()));
        }
        for (int dimension = 0; dimension < dims(); dimension++) {
            if (values.get(dimension) >= shape.get(dimension)) {
                throw new MeshRuntimeException(ShapeMessages.coordinateOutOfBounds(this, shape));
            }
        }
    }

    private int index(int dimension) {
        int index = dimension < 0 ? dimension + dims() : dimension;
        if (index < 0 || index >= dims()) {
            throw new MeshRuntimeException(ShapeMessages.indexOutOfBounds(dimension, dims()));
        }
        return index;
    }
}
