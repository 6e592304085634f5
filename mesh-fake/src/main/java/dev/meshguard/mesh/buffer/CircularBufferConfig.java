package dev.meshguard.mesh.buffer;

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
}
