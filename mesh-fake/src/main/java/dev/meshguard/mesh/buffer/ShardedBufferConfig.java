package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Contents of two dimensions, divided into one shard for each device of a mesh.
 *
 * <p>A shard extent of 0 means the whole extent in that direction: the contents are replicated along it. Shards are
 * distributed to the devices row by row. Devices without a shard allocate the same memory. Source:
 * {@code ShardedBufferConfig} in {@code tt_metal/api/tt-metalium/mesh_buffer.hpp} and
 * {@code tt_metal/distributed/mesh_buffer.cpp}.
 *
 * @param globalSize the bytes of the contents
 * @param globalBufferShape the elements of the contents
 * @param shardShape the elements of a shard; 0 replicates in that direction
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ShardedBufferConfig(long globalSize, Shape2D globalBufferShape, Shape2D shardShape)
        implements GlobalBufferConfig {

    /**
     * Creates a configuration.
     *
     * @throws MeshRuntimeException if the contents are not a whole number of shards
     * @throws IllegalArgumentException if the size is negative or the contents have no element
     */
    public ShardedBufferConfig {
        if (globalSize < 0 || globalBufferShape.volume() == 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Cannot shard %d B of shape %s: the size must be 0 B or more, and both sides of the shape 1 or more",
                    globalSize,
                    globalBufferShape));
        }
        Shape2D shard = physical(shardShape, globalBufferShape);
        if (globalBufferShape.height() % shard.height() != 0 || globalBufferShape.width() % shard.width() != 0) {
            throw new MeshRuntimeException(BufferMessages.globalShapeNotAligned(globalBufferShape, shard));
        }
    }

    /**
     * Returns the configuration of contents and their shards.
     *
     * @throws MeshRuntimeException if the contents are not a whole number of shards
     * @throws IllegalArgumentException if the size is negative or the contents have no element
     */
    public static ShardedBufferConfig of(long globalSize, Shape2D globalBufferShape, Shape2D shardShape) {
        return new ShardedBufferConfig(globalSize, globalBufferShape, shardShape);
    }

    @Override
    public long size() {
        return globalSize;
    }

    /** Returns the bytes of an element, rounded down, as in the runtime. */
    public long datumSizeBytes() {
        return globalSize / globalBufferShape.volume();
    }

    /** Returns the elements of a shard, with the whole extent where it is replicated. */
    public Shape2D physicalShardShape() {
        return physical(shardShape, globalBufferShape);
    }

    @Override
    public long deviceLocalSize() {
        return datumSizeBytes() * physicalShardShape().volume();
    }

    @Override
    public void requireFits(MeshShape mesh) {
        long shards = globalBufferShape.dividedBy(physicalShardShape()).volume() * replicas(mesh);
        if (shards > mesh.meshSize()) {
            throw new MeshRuntimeException(BufferMessages.tooManyShards(shards, mesh.meshSize()));
        }
    }

    private long replicas(MeshShape mesh) {
        boolean heightReplicated = shardShape.height() == 0;
        boolean widthReplicated = shardShape.width() == 0;
        if (heightReplicated && widthReplicated) {
            return mesh.meshSize();
        }
        if (!heightReplicated && !widthReplicated) {
            return 1;
        }
        return mesh.dimensions().get(0);
    }

    private static Shape2D physical(Shape2D shard, Shape2D whole) {
        return new Shape2D(
                shard.height() == 0 ? whole.height() : shard.height(),
                shard.width() == 0 ? whole.width() : shard.width());
    }
}
