package dev.meshguard.verdict.budget;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The quantity that a budget limits.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BudgetMetric {
    /** The most bytes in use at once, including circular buffers. */
    PEAK_BYTES,
    /** The bytes in use at the end, including circular buffers. */
    LIVE_BYTES,
    /** The most buffers in use at once, including circular buffers. */
    BUFFERS,
    /** The largest free block of a bank. */
    LARGEST_FREE_BLOCK
}
