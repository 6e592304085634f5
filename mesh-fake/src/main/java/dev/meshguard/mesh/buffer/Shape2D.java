package dev.meshguard.mesh.buffer;

import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A height and a width, in elements or in pages.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code Shape2D} in {@code tt_metal/api/tt-metalium/shape2d.hpp}.
 *
 * @param height the number of rows, 0 or more
 * @param width the number of columns, 0 or more
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Shape2D(int height, int width) {

    /**
     * Creates a shape.
     *
     * @throws IllegalArgumentException if a number is negative
     */
    public Shape2D {
        if (height < 0 || width < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "There is no shape of %d rows and %d columns: both are 0 or more", height, width));
        }
    }

    /** Returns height times width. */
    public long volume() {
        return (long) height * width;
    }

    /** Returns how often a part fits in each direction; 0 in a direction in which the part is 0. */
    Shape2D dividedBy(Shape2D part) {
        return new Shape2D(part.height == 0 ? 0 : height / part.height, part.width == 0 ? 0 : width / part.width);
    }

    /** Returns the shape as the runtime writes it: {@code (64, 128)}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "(%d, %d)", height, width);
    }
}
