package dev.meshguard.mesh.buffer;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How a tensor is cut into equal shards, one for each core of a grid.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code ShardSpec} in {@code tt_metal/api/tt-metalium/buffer.hpp}.
 *
 * @param grid the cores
 * @param shape the elements of a shard
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ShardSpec(CoreRangeSet grid, Shape2D shape) {

    /**
     * Creates a specification.
     *
     * @throws IllegalArgumentException if the grid has no core
     */
    public ShardSpec {
        if (grid.numCores() == 0) {
            throw new IllegalArgumentException(
                    "Cannot shard over a grid without cores: a sharded buffer lies on at least one");
        }
    }

    /** Returns the specification of shards over cores. */
    public static ShardSpec of(CoreRangeSet grid, Shape2D shape) {
        return new ShardSpec(grid, shape);
    }

    /** Returns the number of cores. */
    public int numCores() {
        return grid.numCores();
    }
}
