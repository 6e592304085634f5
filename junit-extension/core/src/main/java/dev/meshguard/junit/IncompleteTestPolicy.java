package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Handling of the memory check of a test that failed or was aborted before the check.
 *
 * <p>A test that threw may have skipped the lines that free its memory. Its survivors are real, but they are seldom the
 * first thing to repair. They are never attributed to the next test, and never change what the test itself threw.
 *
 * @since 0.1
 * @see TrackAllocations
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum IncompleteTestPolicy {
    /**
     * The policy that a farther location sets, or {@code meshguard.on-failure} and {@code meshguard.on-abort}, else
     * {@link #ATTACH}.
     */
    DEFAULT,
    /** The findings are suppressed in what the test threw, and published as a report entry. */
    ATTACH,
    /** The findings are published as a report entry only. */
    REPORT,
    /** Nothing is reported, and the check does not wait for late frees. Meshes that were left open are still closed. */
    SKIP
}
