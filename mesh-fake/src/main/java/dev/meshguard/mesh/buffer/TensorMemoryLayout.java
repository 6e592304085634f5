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
    INTERLEAVED(0),
    /** In shards of whole rows: consecutive pages go to the same core. */
    HEIGHT_SHARDED(2),
    /** In shards of whole columns. */
    WIDTH_SHARDED(3),
    /** In rectangular shards, row by row of shards. */
    BLOCK_SHARDED(4);

    private final int value;

    TensorMemoryLayout(int value) {
        this.value = value;
    }

    /** Returns the runtime's number of this layout. The number 1 belonged to a removed layout. */
    public int value() {
        return value;
    }

    /** Returns whether a buffer of it needs shards. */
    public boolean isSharded() {
        return this != INTERLEAVED;
    }
}
