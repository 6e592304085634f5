package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshShape;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What the buffers of all devices of a mesh make up together.
 *
 * <p>All implementations are immutable. The runtime calls the choice {@code MeshBufferConfig}; here that is the choice together
 * with what each device gets.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface GlobalBufferConfig permits ReplicatedBufferConfig, ShardedBufferConfig {

    /** Returns the bytes of the contents, each counted once. */
    long size();

    /** Returns the bytes that each device gets. */
    long deviceLocalSize();

    /**
     * Checks that there is a device for every part.
     *
     * @throws MeshRuntimeException if there is not
     */
    void requireFits(MeshShape mesh);
}
