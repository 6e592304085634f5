package dev.meshguard.mesh.allocator;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Divides sizes, and rounds them up to alignments, as the runtime does.
 *
 * <p>Sources: {@code round_up} and {@code div_up} in {@code tt_metal/api/tt-metalium/math.hpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Rounding {

    private Rounding() {}

    /**
     * {@return the least multiple that is not less than a value; a value that would overflow is returned unchanged, as it is
     * larger than any memory}
     *
     * @param value not negative
     * @param multiple at least 1
     */
    public static long up(long value, long multiple) {
        long excess = value % multiple;
        return excess == 0 || value > Long.MAX_VALUE - multiple ? value : value + multiple - excess;
    }

    /**
     * {@return the number of parts of a size that are needed for a whole}
     *
     * @param whole not negative
     * @param part at least 1
     */
    public static long ceilDiv(long whole, long part) {
        return -Math.floorDiv(-whole, part);
    }
}
