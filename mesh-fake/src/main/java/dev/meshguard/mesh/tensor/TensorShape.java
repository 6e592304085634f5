package dev.meshguard.mesh.tensor;

import dev.meshguard.text.InvariantText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The size of a tensor in each dimension.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param dimensions the sizes, outermost first, each 0 or more
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record TensorShape(List<Integer> dimensions) {

    /**
     * Creates a shape with its own copy of the list.
     *
     * @throws IllegalArgumentException if there is no dimension or one is negative
     */
    public TensorShape {
        dimensions = List.copyOf(dimensions);
        if (dimensions.isEmpty()) {
            throw new IllegalArgumentException("A tensor shape needs at least one dimension: none is given");
        }
        for (int size : dimensions) {
            if (size < 0) {
                throw new IllegalArgumentException(
                        InvariantText.of("Cannot use %d as a dimension of a tensor: a dimension is 0 or more", size));
            }
        }
    }

    /** Returns the shape with the given sizes, outermost first. */
    public static TensorShape of(int... dimensions) {
        return new TensorShape(Arrays.stream(dimensions).boxed().toList());
    }

    /** Returns the number of dimensions. */
    public int rank() {
        return dimensions.size();
    }

    /**
     * Returns the size of a dimension.
     *
     * @param dimension its index; negative ones count from the end, as in Python
     * @throws IndexOutOfBoundsException if there is no such dimension
     */
    public int get(int dimension) {
        return dimensions.get(index(dimension));
    }

    /** Returns the number of elements. */
    public long volume() {
        return dimensions.stream().mapToLong(Integer::longValue).reduce(1, Math::multiplyExact);
    }

    /**
     * Returns this shape with one dimension of another size.
     *
     * @param dimension its index; negative ones count from the end
     * @throws IndexOutOfBoundsException if there is no such dimension
     */
    public TensorShape with(int dimension, int size) {
        List<Integer> changed = new ArrayList<>(dimensions);
        changed.set(index(dimension), size);
        return new TensorShape(changed);
    }

    private int index(int dimension) {
        int index = dimension < 0 ? dimension + rank() : dimension;
        if (index < 0 || index >= rank()) {
            throw new IndexOutOfBoundsException(InvariantText.of(
                    "A tensor of shape %s has no dimension %d: its dimensions are 0 to %d",
                    this, dimension, rank() - 1));
        }
        return index;
    }

    /** Returns the sizes in parentheses, for example {@code (8, 8, 512, 512)}. */
    @Override
    public String toString() {
        return dimensions.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
    }
}
