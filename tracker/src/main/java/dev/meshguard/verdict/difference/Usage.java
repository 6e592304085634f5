package dev.meshguard.verdict.difference;

import dev.meshguard.history.BufferGeneration;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The allocated and surviving memory of one site.
 *
 * @param buffers how many buffers were allocated
 * @param bytes their bytes
 * @param liveBuffers how many of them are still in the ledger
 * @param liveBytes their bytes
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Usage(long buffers, long bytes, long liveBuffers, long liveBytes) {

    /** No memory. */
    public static final Usage NOTHING = new Usage(0, 0, 0, 0);

    static Usage of(BufferGeneration buffer) {
        return buffer.isLive() ? new Usage(1, buffer.size(), 1, buffer.size()) : new Usage(1, buffer.size(), 0, 0);
    }

    Usage and(Usage other) {
        return new Usage(
                buffers + other.buffers,
                bytes + other.bytes,
                liveBuffers + other.liveBuffers,
                liveBytes + other.liveBytes);
    }
}
