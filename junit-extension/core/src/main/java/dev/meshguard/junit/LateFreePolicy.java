package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whether a test fails if its buffers are freed only after the close of their allocator began.
 *
 * <p>The policy applies to the check of the extension. An assertion in the test, such as {@code noLeaks()}, fails in
 * either case.
 *
 * @since 0.1
 * @see TrackAllocations
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum LateFreePolicy {
    /** The policy that a farther location sets, or {@code meshguard.late-frees}, else {@link #FAIL}. */
    DEFAULT,
    /** The test fails. */
    FAIL,
    /** The findings are published as a report entry only. */
    REPORT
}
