package dev.meshguard.mesh.buffer;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The configuration of a buffer on all devices of a mesh.
 *
 * <p>All devices' buffers have the same size and address. Whether they hold the same contents or a shard each needs no other
 * memory (quirk Q8), so nothing says it here.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code MeshBuffer::create} in
 * {@code tt_metal/distributed/mesh_buffer.cpp}.
 *
 * @param deviceLocal the configuration of the buffer on each device
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshBufferConfig(BufferConfig deviceLocal) {

    /** Returns the configuration that gives every device the same buffer. */
    public static MeshBufferConfig replicated(BufferConfig deviceLocal) {
        return new MeshBufferConfig(deviceLocal);
    }
}
