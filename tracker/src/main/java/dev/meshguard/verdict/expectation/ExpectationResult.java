package dev.meshguard.verdict.expectation;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What became of one entry of an allowlist in one check.
 *
 * @param expectation the entry
 * @param matchedBuffers how many survivors it let stay
 * @param matchedBytes their bytes
 * @param rejectedBuffers how many more fitted its conditions, but not its bounds or its time
 * @param deadline how its last day and the day of the check stand to each other
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ExpectationResult(
        Expectation expectation, long matchedBuffers, long matchedBytes, long rejectedBuffers, Deadline deadline) {

    /** How the last day of an entry and the day of a check stand to each other. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public enum Deadline {
        /** The entry has no last day. */
        NONE,
        /** The check was made on the last day or before it. */
        AHEAD,
        /** The check was made after the last day: the entry lets nothing stay any more. */
        PASSED,
        /** The history does not say on which day the check was made; the entry holds, and the report says that. */
        UNKNOWN
    }

    /** What a check has to say of an entry. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public enum Fate {
        /** What it promises is there. */
        MATCHED,
        /** Nothing fitted, and the entry allows that. Within one test that is a note, over a whole run a failure. */
        UNMATCHED,
        /** More fitted than it allows; what is too much counts as if it were not there. */
        OVER_ITS_BOUND,
        /** Less fitted than it promises, or nothing at all: it is out of date. */
        UNDER_ITS_BOUND,
        /** Something fitted, but too late; that counts as if the entry were not there. */
        EXPIRED
    }

    /** Returns what there is to say, the worst first. */
    public Fate fate() {
        if (neverMatched()) {
            return expectation.isBrokenByNone() && deadline != Deadline.PASSED ? Fate.UNDER_ITS_BOUND : Fate.UNMATCHED;
        }
        if (deadline == Deadline.PASSED) {
            return Fate.EXPIRED;
        }
        if (rejectedBuffers > 0) {
            return Fate.OVER_ITS_BOUND;
        }
        return matchedBuffers < expectation.count().atLeast() ? Fate.UNDER_ITS_BOUND : Fate.MATCHED;
    }

    /** Returns whether no survivor fitted. */
    public boolean neverMatched() {
        return matchedBuffers == 0 && rejectedBuffers == 0;
    }
}
