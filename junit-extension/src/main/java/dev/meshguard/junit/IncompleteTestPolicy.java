package dev.meshguard.junit;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What becomes of the memory check of a test that failed or was aborted before it.
 *
 * <p>A test that threw may not have come to the lines that free its memory. What it left is then true, but seldom what has to be
 * repaired first. In no case is it counted to the next test, and in no case does it change what the test itself threw.
 *
 * @since 0.1
 * @see AllocationPolicy
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum IncompleteTestPolicy {
    /** What was found is suppressed in what the test threw, and published as a report entry. The default. */
    ATTACH,
    /** What was found is published as a report entry only. */
    REPORT,
    /** Nothing is said, and nobody waits for late frees. Meshes that were left open are closed all the same. */
    SKIP
}
