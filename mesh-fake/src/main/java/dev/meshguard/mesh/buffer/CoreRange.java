package dev.meshguard.mesh.buffer;

import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A rectangle of compute cores, both corners included.
 *
 * @param startX the first column, from 0
 * @param startY the first row, from 0
 * @param endX the last column
 * @param endY the last row
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CoreRange(int startX, int startY, int endX, int endY) {

    /**
     * Creates a rectangle.
     *
     * @throws IllegalArgumentException if it starts below 0 or ends before it starts
     */
    public CoreRange {
        if (startX < 0 || startY < 0 || endX < startX || endY < startY) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "There are no cores from (%d, %d) to (%d, %d): a range starts at 0 or later and ends where it starts or later",
                    startX,
                    startY,
                    endX,
                    endY));
        }
    }

    /** Returns whether a core lies in both. */
    public boolean intersects(CoreRange other) {
        return startX <= other.endX && other.startX <= endX && startY <= other.endY && other.startY <= endY;
    }

    /** Returns the corners as the runtime writes them: {@code [0-0 - 7-7]}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "[%d-%d - %d-%d]", startX, startY, endX, endY);
    }
}
