package dev.meshguard.mesh.buffer;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whether the devices of a mesh hold the same or different parts of a buffer.
 *
 * <p>Source: {@code MeshBufferLayout} in {@code tt_metal/api/tt-metalium/mesh_buffer.hpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum MeshBufferLayout {
    /** All hold the same. */
    REPLICATED,
    /** Each device has a shard. */
    SHARDED
}
