package dev.meshguard.verdict.budget;

import dev.meshguard.text.Quantities;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The quantity that a budget bounds: from above, or from below for the largest free block.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BudgetMetric {
    /** The most bytes in use at once, including circular buffers. */
    PEAK_BYTES("peakBytes"),
    /** The bytes in use at the end, including circular buffers. */
    LIVE_BYTES("liveBytes"),
    /** The most buffers in use at once, including circular buffers. */
    BUFFERS("buffers"),
    /** The largest free block of a bank. */
    LARGEST_FREE_BLOCK("largestFreeBlock");

    /** The name of the limit in code. */
    final String limit;

    BudgetMetric(String limit) {
        this.limit = limit;
    }

    /** Returns a limit in words: {@code peak at most 1 MiB (1048576 B)}. */
    String description(long value) {
        return switch (this) {
            case PEAK_BYTES -> "peak at most " + Quantities.size(value);
            case LIVE_BYTES -> "at the end at most " + Quantities.size(value);
            case BUFFERS -> "at most " + Quantities.count(value, "buffer") + " at once";
            case LARGEST_FREE_BLOCK -> "largest free block at least " + Quantities.size(value);
        };
    }
}
