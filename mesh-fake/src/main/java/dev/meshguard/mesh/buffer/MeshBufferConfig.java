package dev.meshguard.mesh.buffer;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.shape.MeshShape;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What is asked for when a buffer is created on all devices of a mesh.
 *
 * <p>Either replicated, when every device gets a buffer of the same contents, or sharded, when a two-dimensional global buffer
 * is cut into one shard for each device. All devices' buffers have the same size and address in both cases, and nothing is
 * saved on devices that hold no shard.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code ReplicatedBufferConfig}, {@code ShardedBufferConfig} and
 * {@code DeviceLocalBufferConfig} in {@code tt_metal/api/tt-metalium/mesh_buffer.hpp}.
 *
 * @param deviceLocal what each device gets
 * @param sharding how the global buffer is cut, empty if it is replicated
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MeshBufferConfig(BufferConfig deviceLocal, Optional<Sharding> sharding) {

    /** Returns the configuration that gives every device the same buffer. */
    public static MeshBufferConfig replicated(BufferConfig deviceLocal) {
        return new MeshBufferConfig(deviceLocal, Optional.empty());
    }

    /**
     * Returns the configuration that gives every device one shard of a global buffer.
     *
     * @param sharding how the global buffer is cut
     * @param page the memory, page size, direction and name of each device's buffer; its size is not used
     * @throws MeshRuntimeException if a shard is not a whole number of pages
     */
    public static MeshBufferConfig sharded(Sharding sharding, BufferConfig page) {
        BufferConfig local = new BufferConfig(
                page.type(),
                sharding.deviceLocalSize(),
                page.pageSize(),
                page.shards(),
                page.direction(),
                page.label());
        return new MeshBufferConfig(local, Optional.of(sharding));
    }

    /**
     * How a global buffer of two dimensions is cut into shards.
     *
     * @param globalSize the bytes of the global buffer
     * @param height the rows of the global buffer
     * @param width the columns of the global buffer
     * @param shardHeight the rows of a shard; 0 replicates along the rows
     * @param shardWidth the columns of a shard; 0 replicates along the columns
     * @param orientation in which direction shards are dealt out to the devices
     * @since 0.1
     */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public record Sharding(
            long globalSize, int height, int width, int shardHeight, int shardWidth, Orientation orientation) {

        /** The direction in which shards are dealt out to the devices. */
        public enum Orientation {
            /** Row by row. */
            ROW_MAJOR,
            /** Column by column. */
            COLUMN_MAJOR
        }

        /**
         * Creates a sharding.
         *
         * @throws MeshRuntimeException if the global buffer is not a whole number of shards
         * @throws IllegalArgumentException if a number is out of range
         */
        public Sharding {
            if (globalSize < 0 || height < 1 || width < 1 || shardHeight < 0 || shardWidth < 0) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "Cannot shard %d B of shape (%d, %d) into shards of (%d, %d): numbers must not be negative, and the shape not empty",
                        globalSize,
                        height,
                        width,
                        shardHeight,
                        shardWidth));
            }
            if (height % physical(shardHeight, height) != 0 || width % physical(shardWidth, width) != 0) {
                throw new MeshRuntimeException(String.format(
                        Locale.ROOT,
                        "Global buffer shape must be aligned with the shard shape: requested buffer shape:"
                                + " (%d, %d), shard shape: (%d, %d)",
                        height,
                        width,
                        physical(shardHeight, height),
                        physical(shardWidth, width)));
            }
        }

        /** Returns the sharding that deals shards out row by row. */
        public static Sharding of(long globalSize, int height, int width, int shardHeight, int shardWidth) {
            return new Sharding(globalSize, height, width, shardHeight, shardWidth, Orientation.ROW_MAJOR);
        }

        /** Returns the bytes that each device gets. */
        public long deviceLocalSize() {
            long datum = globalSize / ((long) height * width);
            return datum * physical(shardHeight, height) * physical(shardWidth, width);
        }

        /** Checks that there is a device for every shard. */
        public void requireFits(MeshShape mesh) {
            long shards = (long) (height / physical(shardHeight, height))
                    * (width / physical(shardWidth, width))
                    * replicas(mesh);
            if (shards > mesh.meshSize()) {
                throw new MeshRuntimeException(String.format(
                        Locale.ROOT,
                        "The sharded tensor does not fit on the Mesh. Num shards in buffer %d, Num Devices %d",
                        shards,
                        mesh.meshSize()));
            }
        }

        private long replicas(MeshShape mesh) {
            if (shardHeight == 0 && shardWidth == 0) {
                return mesh.meshSize();
            }
            if (shardHeight != 0 && shardWidth != 0) {
                return 1;
            }
            return mesh.dimensions().get(orientation == Orientation.ROW_MAJOR ? 0 : mesh.dims() - 1);
        }

        private static int physical(int shard, int whole) {
            return shard == 0 ? whole : shard;
        }
    }
}
