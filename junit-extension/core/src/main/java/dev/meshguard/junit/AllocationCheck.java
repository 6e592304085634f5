package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The condition that must hold when a test ends, named after the methods of {@code LeakAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum AllocationCheck {
    /** The attribute is left out: {@code meshguard.check}, else {@link #CLEAN}. */
    DEFAULT,
    /** All memory was freed in time, and the reports add up: {@code noLeaks()} and {@code hasBalancedReports()}. */
    CLEAN,
    /** All memory was freed in time, even if the reported counts do not add up: {@code noLeaks()}. */
    NO_LEAKS,
    /** Exactly the expected system buffers remain by the reported counts: {@code onlyExpectedSystemBuffers()}. */
    ONLY_EXPECTED_SYSTEM_BUFFERS,
    /** Nothing is checked: the test makes its own assertions. The extension still closes what the test left open. */
    NONE
}
