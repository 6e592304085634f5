package dev.meshguard.mesh;

import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A circular buffer as a program asks for it: how large, and on which cores.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code CircularBufferConfig} in
 * {@code tt_metal/api/tt-metalium/circular_buffer_config.hpp}.
 *
 * @param size the bytes on each core
 * @param cores the cores, empty for the whole compute grid
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CircularBufferConfig(long size, Optional<CoreRange> cores) {

    /**
     * Creates a configuration.
     *
     * @throws IllegalArgumentException if the size is not positive
     */
    public CircularBufferConfig {
        if (size < 1) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Cannot create a circular buffer of %d B: it holds at least 1 B", size));
        }
    }

    /** Returns the configuration of a circular buffer on the whole compute grid. */
    public static CircularBufferConfig of(long size) {
        return new CircularBufferConfig(size, Optional.empty());
    }

    /** Returns this configuration on a rectangle of cores. */
    public CircularBufferConfig on(CoreRange newCores) {
        return new CircularBufferConfig(size, Optional.of(newCores));
    }

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
}
