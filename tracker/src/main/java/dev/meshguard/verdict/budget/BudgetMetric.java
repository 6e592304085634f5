package dev.meshguard.verdict.budget;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What a budget limits.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BudgetMetric {
    /** The most bytes in use at once, circular buffers among them. */
    PEAK_BYTES,
    /** The bytes in use at the end, circular buffers among them. */
    LIVE_BYTES,
    /** The most buffers in use at once, circular buffers among them. */
    BUFFERS,
    /** The largest free block of a bank. */
    LARGEST_FREE_BLOCK,
    /** The part of the free memory of a bank that lies outside its largest free block. */
    FRAGMENTATION
}
