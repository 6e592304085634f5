package dev.meshguard.mesh.buffer;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How the pages of a buffer are spread over the banks of one device.
 *
 * <p>Shards of more than two dimensions ({@code ND_SHARDED}) are not there. Source: {@code TensorMemoryLayout} in
 * {@code tt_metal/api/tt-metalium/buffer_types.hpp}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum TensorMemoryLayout {
    /** Page by page over all banks in turn. */
    INTERLEAVED,
    /** In shards of whole rows: consecutive pages go to the same core. */
    HEIGHT_SHARDED,
    /** In shards of whole columns. */
    WIDTH_SHARDED,
    /** In rectangular shards, row by row of shards. */
    BLOCK_SHARDED;

    /** Returns whether a buffer of it needs shards. */
    public boolean isSharded() {
        return this != INTERLEAVED;
    }
}
