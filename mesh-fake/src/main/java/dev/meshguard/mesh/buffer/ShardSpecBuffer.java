package dev.meshguard.mesh.buffer;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How the pages of a buffer are cut into shards: a {@link ShardSpec} and the shapes that turn elements into pages.
 *
 * <p>Immutable and safe for use by several threads. Source: {@code ShardSpecBuffer} in
 * {@code tt_metal/api/tt-metalium/buffer.hpp}.
 *
 * @param tensorShardSpec the shards, in elements
 * @param pageShape the elements of a page
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ShardSpecBuffer(ShardSpec tensorShardSpec, Shape2D pageShape) {

    /** Returns the cores. */
    public CoreRangeSet grid() {
        return tensorShardSpec.grid();
    }

    /** Returns the elements of a shard. */
    public Shape2D shape() {
        return tensorShardSpec.shape();
    }

    /** Returns the number of cores, each with one shard. */
    public int numCores() {
        return tensorShardSpec.numCores();
    }

    /** Returns the pages of a whole shard, as rows and columns. */
    public Shape2D shapeInPages() {
        return shape().dividedBy(pageShape);
    }

    /** Returns the number of pages of a whole shard, which every core makes room for. */
    public long numPages() {
        return shapeInPages().volume();
    }
}
