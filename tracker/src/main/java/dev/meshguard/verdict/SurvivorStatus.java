package dev.meshguard.verdict;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whether a surviving buffer is leaked, freed late, misreported, undecided or expected; the worst first.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum SurvivorStatus {
    /** Its memory was not freed. */
    LEAKED("leaked", Outcome.LEAKED),
    /** Its memory was freed after the close of its allocator had begun, or after the check if there is no close. */
    FREED_LATE("freed late", Outcome.FREED_LATE),
    /** Its memory was freed, but the ledger still holds it. */
    MISREPORTED("misreported", Outcome.MISREPORTED),
    /** It may leak or have been freed; {@link Diagnosis#reason()} is the kind of the reason. */
    UNDECIDED("undecided", Outcome.INCONCLUSIVE),
    /** It is expected. */
    EXPECTED("expected", Outcome.EXPECTED_ONLY);

    private final String description;
    private final Outcome outcome;

    SurvivorStatus(String words, Outcome outcome) {
        this.description = words;
        this.outcome = outcome;
    }

    /** Returns the status as an adjective. */
    public String description() {
        return description;
    }

    /** Returns whether such a survivor is a defect, which a baseline can know: it is neither expected nor undecided. */
    public boolean isDefect() {
        return this == LEAKED || this == FREED_LATE || this == MISREPORTED;
    }

    /** Returns the outcome that one survivor of this status causes. */
    public Outcome outcome() {
        return outcome;
    }
}
