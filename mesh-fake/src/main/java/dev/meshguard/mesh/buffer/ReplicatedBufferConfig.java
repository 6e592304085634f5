package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.shape.MeshShape;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The same contents on every device of a mesh.
 *
 * <p>Source: {@code ReplicatedBufferConfig} in {@code tt_metal/api/tt-metalium/mesh_buffer.hpp}.
 *
 * @param size the bytes on each device
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ReplicatedBufferConfig(long size) implements GlobalBufferConfig {

    /**
     * Creates a configuration.
     *
     * @throws IllegalArgumentException if the size is negative
     */
    public ReplicatedBufferConfig {
        if (size < 0) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Cannot replicate %d B: a buffer has 0 B or more", size));
        }
    }

    @Override
    public long deviceLocalSize() {
        return size;
    }

    /** Does nothing: replicated contents fit every mesh. */
    @Override
    public void requireFits(MeshShape mesh) {}
}
