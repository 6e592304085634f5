package dev.meshguard.mesh.shape;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One value for each device of a mesh, in row-major order.
 *
 * <p>Values can be replaced, the shape cannot. Not thread-safe. Source: {@code MeshContainer} in
 * {@code tt_metal/api/tt-metalium/mesh_coord.hpp}; its distributed form, for meshes over several hosts, has no counterpart here.
 *
 * @param <T> the type of the values
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshContainer<T> implements Iterable<MeshContainer.Entry<T>> {

    private final MeshShape shape;
    private final MeshCoordinateRange coordinates;
    private final List<T> values;

    private MeshContainer(MeshShape shape, List<T> values) {
        this.shape = shape;
        this.coordinates = MeshCoordinateRange.of(shape);
        this.values = values;
    }

    /**
     * Returns a container with the same value everywhere.
     *
     * @throws IllegalArgumentException if the shape has no device
     */
    public static <T> MeshContainer<T> filled(MeshShape shape, T value) {
        Objects.requireNonNull(value, "value");
        return new MeshContainer<>(shape, new ArrayList<>(Collections.nCopies(shape.meshSize(), value)));
    }

    /**
     * Returns a container with its own copy of the values.
     *
     * @param values in row-major order
     * @throws MeshRuntimeException if there are not as many values as devices
     * @throws IllegalArgumentException if the shape has no device
     */
    public static <T> MeshContainer<T> of(MeshShape shape, List<? extends T> values) {
        if (values.size() != shape.meshSize()) {
            throw new MeshRuntimeException(RuntimeMessages.shapeAndValues(shape, values.size()));
        }
        return new MeshContainer<>(shape, new ArrayList<>(List.copyOf(values)));
    }

    /** Returns the number of devices along each dimension. */
    public MeshShape shape() {
        return shape;
    }

    /** Returns the coordinates that have a value: all of the shape. */
    public MeshCoordinateRange coordRange() {
        return coordinates;
    }

    /** Returns the number of values. */
    public int size() {
        return values.size();
    }

    /**
     * Returns the value at a coordinate.
     *
     * @throws MeshRuntimeException if it does not lie in the shape
     */
    public T at(MeshCoordinate coordinate) {
        return values.get(coordinate.toLinearIndex(shape));
    }

    /**
     * Replaces the value at a coordinate.
     *
     * @throws MeshRuntimeException if it does not lie in the shape
     */
    public void set(MeshCoordinate coordinate, T value) {
        values.set(coordinate.toLinearIndex(shape), Objects.requireNonNull(value, "value"));
    }

    /** Returns the values in row-major order, as they are now. */
    public List<T> values() {
        return List.copyOf(values);
    }

    /** Goes through the coordinates in row-major order with the value at each, as they are now. */
    @Override
    public Iterator<Entry<T>> iterator() {
        List<T> current = values();
        List<MeshCoordinate> places = coordinates.stream().toList();
        return IntStream.range(0, current.size())
                .mapToObj(index -> new Entry<>(places.get(index), current.get(index)))
                .iterator();
    }

    /** Returns whether the other container has the same shape and values. */
    @Override
    public boolean equals(Object other) {
        return other instanceof MeshContainer<?> container
                && shape.equals(container.shape)
                && values.equals(container.values);
    }

    @Override
    public int hashCode() {
        return Objects.hash(shape, values);
    }

    /** Returns shape and values, for example {@code MeshContainer(MeshShape([1, 2]), [3, 4])}. */
    @Override
    public String toString() {
        return "MeshContainer(" + shape + ", " + values + ")";
    }

    /**
     * A coordinate and the value there.
     *
     * @param <T> the type of the value
     * @param coordinate the place in the mesh
     * @param value what the container has there
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record Entry<T>(MeshCoordinate coordinate, T value) {}
}
