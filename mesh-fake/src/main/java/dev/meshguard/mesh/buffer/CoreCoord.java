package dev.meshguard.mesh.buffer;

import dev.meshguard.text.InvariantText;
import java.util.Comparator;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The coordinate of a compute core in the grid of its device, counted without harvested cores.
 *
 * <p>Ordered by column, then by row. Immutable and safe for use by several threads. Source: {@code CoreCoord} in
 * {@code tt_metal/api/tt-metalium/core_coord.hpp}.
 *
 * @param x the column, from 0
 * @param y the row, from 0
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CoreCoord(int x, int y) implements Comparable<CoreCoord> {

    private static final Comparator<CoreCoord> BY_COLUMN =
            Comparator.comparingInt(CoreCoord::x).thenComparingInt(CoreCoord::y);

    /**
     * Creates a coordinate.
     *
     * @throws IllegalArgumentException if a number is negative
     */
    public CoreCoord {
        if (x < 0 || y < 0) {
            throw new IllegalArgumentException(
                    InvariantText.of("There is no core at column %d, row %d: columns and rows count from 0", x, y));
        }
    }

    @Override
    public int compareTo(CoreCoord other) {
        return BY_COLUMN.compare(this, other);
    }

    /** Returns column and row as the runtime writes them: {@code 1-2}. */
    @Override
    public String toString() {
        return x + "-" + y;
    }
}
