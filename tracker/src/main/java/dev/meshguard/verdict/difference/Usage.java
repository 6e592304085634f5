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

    Usage and(BufferGeneration buffer) {
        boolean isLeft = buffer.isLive();
        return new Usage(
                buffers + 1,
                bytes + buffer.size(),
                liveBuffers + (isLeft ? 1 : 0),
                liveBytes + (isLeft ? buffer.size() : 0));
    }

    /** Returns whether no value is less than in another usage. */
    public boolean isAtLeast(Usage other) {
        return buffers >= other.buffers
                && bytes >= other.bytes
                && liveBuffers >= other.liveBuffers
                && liveBytes >= other.liveBytes;
    }
}
