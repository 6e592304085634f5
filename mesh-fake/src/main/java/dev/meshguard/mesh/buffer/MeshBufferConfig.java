package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The configuration of a buffer on all devices of a mesh.
 *
 * <p>All devices' buffers have the same size and address, whether they contain the same contents or a shard each.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code MeshBuffer::create} in
 * {@code tt_metal/distributed/mesh_buffer.cpp}.
 *
 * @param global the relation of the contents to the devices
 * @param deviceLocal the configuration of the buffer on each device
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshBufferConfig(GlobalBufferConfig global, BufferConfig deviceLocal) {

    /**
     * Creates a configuration; {@link #of} works the size out.
     *
     * @throws IllegalArgumentException if the two do not agree on the bytes that each device gets
     */
    public MeshBufferConfig {
        if (global.deviceLocalSize() != deviceLocal.size()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot give each device a buffer of %d B: %s leaves %d B for each",
                    deviceLocal.size(),
                    global,
                    global.deviceLocalSize()));
        }
    }

    /** Returns the configuration that gives every device the same buffer. */
    public static MeshBufferConfig replicated(BufferConfig deviceLocal) {
        return new MeshBufferConfig(new ReplicatedBufferConfig(deviceLocal.size()), deviceLocal);
    }

    /**
     * Returns the configuration whose buffer on each device has the size that the global configuration requires.
     *
     * @throws MeshRuntimeException if that is not a whole number of pages
     */
    public static MeshBufferConfig of(GlobalBufferConfig global, DeviceLocalBufferConfig deviceLocal) {
        return new MeshBufferConfig(global, deviceLocal.sized(global.deviceLocalSize()));
    }

    /** Returns whether the devices hold the same or different parts. */
    public MeshBufferLayout globalLayout() {
        return global instanceof ShardedBufferConfig ? MeshBufferLayout.SHARDED : MeshBufferLayout.REPLICATED;
    }

    /**
     * Returns how the contents are cut into shards.
     *
     * @throws MeshRuntimeException if they are replicated
     */
    public ShardedBufferConfig globalShardSpec() {
        return requireSharded(BufferMessages.NO_GLOBAL_SHARD_SPEC);
    }

    /**
     * Returns the bytes of an element.
     *
     * @throws MeshRuntimeException if the contents are replicated
     */
    public long datumSizeBytes() {
        return requireSharded(BufferMessages.NO_DATUM_SIZE).datumSizeBytes();
    }

    /**
     * Returns the elements of a shard.
     *
     * @throws MeshRuntimeException if the contents are replicated
     */
    public Shape2D physicalShardShape() {
        return requireSharded(BufferMessages.NO_PHYSICAL_SHARD_SHAPE).physicalShardShape();
    }

    private ShardedBufferConfig requireSharded(String otherwise) {
        if (global instanceof ShardedBufferConfig sharded) {
            return sharded;
        }
        throw new MeshRuntimeException(otherwise);
    }
}
