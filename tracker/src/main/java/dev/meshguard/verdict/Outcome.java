package dev.meshguard.verdict;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What a check found, from the best to the worst.
 *
 * <p>Where findings of several kinds meet, the outcome is the worst of them and all are listed.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Outcome {
    /** Nothing survived, and the books balance. */
    LEAK_FREE,
    /** What survived is exactly what was expected. */
    EXPECTED_ONLY,
    /** Less is left than an entry of the allowlist promises, so the entry is out of date. */
    STALE_EXPECTATION,
    /** All memory was given back, but the books are wrong: a report is missing, doubled, or for something unknown. */
    MISREPORTED,
    /** Memory was still allocated when the close of its allocator began, and was freed afterwards. */
    FREED_LATE,
    /** It cannot be known, and the verdict says what is missing. */
    INCONCLUSIVE,
    /** Memory was not given back. */
    LEAKED;

    /** Returns the worse of the two. */
    public Outcome orWorse(Outcome other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
