package dev.meshguard.verdict;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How a survivor counts in the sum of a verdict.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum SurvivorStatus {
    /** Its memory was not given back. */
    LEAKED("leaked", Outcome.LEAKED),
    /** Its memory was freed, but only after the close of its allocator had begun, or after the check where there is no close. */
    FREED_LATE("freed late", Outcome.FREED_LATE),
    /** Its memory was given back, only the books still hold it. */
    MISREPORTED("misreported", Outcome.MISREPORTED),
    /** It may stay. */
    EXPECTED("expected", Outcome.EXPECTED_ONLY),
    /** Its mesh is still open, so it may still be freed; or its report came after the close, so it may have been. */
    UNDECIDED("undecided", Outcome.INCONCLUSIVE);

    private final String description;
    private final Outcome outcome;

    SurvivorStatus(String words, Outcome outcome) {
        this.description = words;
        this.outcome = outcome;
    }

    /** Returns the standing as an adjective. */
    public String description() {
        return description;
    }

    /** Returns the outcome that one survivor of this standing brings about. */
    public Outcome outcome() {
        return outcome;
    }
}
