package dev.meshguard.mesh.shape;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The number of devices along each dimension of a mesh.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code MeshShape} in {@code tt_metal/api/tt-metalium/mesh_coord.hpp}.
 *
 * @param dimensions the sizes, outermost first, each 1 or more
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshShape(List<Integer> dimensions) {

    /**
     * Creates a shape with its own copy of the list.
     *
     * @throws IllegalArgumentException if there is no dimension or one is not positive
     */
    public MeshShape {
        dimensions = List.copyOf(dimensions);
        if (dimensions.isEmpty()) {
            throw new IllegalArgumentException("A mesh shape needs at least one dimension: none is given");
        }
        for (int size : dimensions) {
            if (size < 1) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT, "Cannot use %d as a dimension of a mesh: a dimension is 1 or more", size));
            }
        }
    }

    /** Returns the shape with the given sizes, outermost first; {@code of(2, 4)} has two rows of four devices. */
    public static MeshShape of(int... dimensions) {
        return new MeshShape(Arrays.stream(dimensions).boxed().toList());
    }

    /** Returns the number of dimensions. */
    public int dims() {
        return dimensions.size();
    }

    /** Returns the number of devices. */
    public int meshSize() {
        return dimensions.stream().reduce(1, Math::multiplyExact);
    }

    /** Returns whether at most one dimension has more than one device. */
    public boolean isLineTopology() {
        return dimensions.stream().filter(size -> size != 1).count() <= 1;
    }

    /** Returns the sizes as a person writes them: {@code 2x4}. */
    public String grid() {
        return dimensions.stream().map(String::valueOf).collect(Collectors.joining("x"));
    }

    /** Returns the shape as the runtime writes it: {@code MeshShape([2, 4])}. */
    @Override
    public String toString() {
        return "MeshShape(" + dimensions + ")";
    }
}
