package dev.meshguard.mesh.buffer;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The direction in which shards are dealt out to cores or devices.
 *
 * <p>Source: {@code ShardOrientation} in {@code tt_metal/api/tt-metalium/buffer_types.hpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum ShardOrientation {
    /** Row by row. */
    ROW_MAJOR,
    /** Column by column. */
    COL_MAJOR
}
