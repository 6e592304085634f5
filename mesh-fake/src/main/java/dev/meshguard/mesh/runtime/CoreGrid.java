package dev.meshguard.mesh.runtime;

import dev.meshguard.tracker.internal.InvariantText;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The compute cores of a chip that programs can use.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param width the number of columns
 * @param height the number of rows
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CoreGrid(int width, int height) {

    /**
     * Creates a grid.
     *
     * @throws IllegalArgumentException if it has no core
     */
    public CoreGrid {
        if (width < 1 || height < 1) {
            throw new IllegalArgumentException(InvariantText.of(
                    "Cannot use a grid of %dx%d cores: it has a row and a column at least", width, height));
        }
    }

    /** Returns the number of cores, equal to the number of L1 banks. */
    public int size() {
        return width * height;
    }

    /** Returns the grid as a person writes it: {@code 8x7}, columns first. */
    @Override
    public String toString() {
        return width + "x" + height;
    }
}
