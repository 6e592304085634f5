package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshShape;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The relation of a mesh buffer's contents to its devices: replicated or sharded.
 *
 * <p>All implementations are immutable. In the runtime {@code MeshBufferConfig} is this choice; here {@link MeshBufferConfig}
 * is the choice together with the configuration on each device.
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
