package dev.meshguard.verdict;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The result of a check, from the best to the worst.
 *
 * <p>If there are findings of several kinds, the outcome is the worst of them and the verdict lists all.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Outcome {
    /** Nothing survived, and the ledger balances. */
    LEAK_FREE,
    /** The survivors are exactly the expected ones. */
    EXPECTED_ONLY,
    /** Fewer buffers survived than an expectation requires, so the expectation is out of date. */
    STALE_EXPECTATION,
    /** Memory was freed as it should, but the data of a buffer was overwritten, or a buffer was used after its free. */
    OVERWRITTEN,
    /** All memory was freed, but a report is missing, doubled, or about an unknown buffer. */
    MISREPORTED,
    /** Memory was still allocated when the close of its allocator began, and was freed afterwards. */
    FREED_LATE,
    /** The check cannot decide, and the verdict lists what is missing. */
    INCONCLUSIVE,
    /** Memory was not freed. */
    LEAKED;

    /** Returns the worse of the two. */
    public Outcome orWorse(Outcome other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
