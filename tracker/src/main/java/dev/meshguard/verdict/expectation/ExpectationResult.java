package dev.meshguard.verdict.expectation;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The result of one expectation in one check.
 *
 * @param expectation the entry
 * @param matchedBuffers how many survivors it matched
 * @param matchedBytes their bytes
 * @param rejectedBuffers how many more met its conditions, but exceeded its time, or its bounds while no other entry expects them
 * @param deadline the day of the check in relation to its last day
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ExpectationResult(
        Expectation expectation, long matchedBuffers, long matchedBytes, long rejectedBuffers, Deadline deadline) {

    /** The day of a check in relation to the last day of an entry. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public enum Deadline {
        /** The entry has no last day. */
        NONE,
        /** The check was made on the last day or before it. */
        AHEAD,
        /** The check was made after the last day: the entry has expired. */
        PASSED,
        /** The history does not hold the day of the check. The entry applies, and the report mentions it. */
        UNKNOWN
    }

    /** The finding of a check about an entry. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public enum Kind {
        /** Buffers matched as required. */
        MATCHED,
        /**
         * No buffer matched, and the entry allows that. Within one test this is a note, over a complete run a failure.
         */
        UNMATCHED,
        /** More buffers matched than allowed; the surplus is not expected. */
        OVER_ITS_BOUND,
        /** Fewer buffers matched than required, or none: the entry is out of date. */
        UNDER_ITS_BOUND,
        /** Buffers matched after the last day; they are not expected. */
        EXPIRED
    }

    /** Returns the finding, the worst if there are several. */
    public Kind kind() {
        if (neverMatched()) {
            return expectation.isBrokenByNone() && deadline != Deadline.PASSED ? Kind.UNDER_ITS_BOUND : Kind.UNMATCHED;
        }
        if (deadline == Deadline.PASSED) {
            return Kind.EXPIRED;
        }
        if (rejectedBuffers > 0) {
            return Kind.OVER_ITS_BOUND;
        }
        return matchedBuffers < expectation.count().atLeast() ? Kind.UNDER_ITS_BOUND : Kind.MATCHED;
    }

    /** Returns whether no survivor matched. */
    public boolean neverMatched() {
        return matchedBuffers == 0 && rejectedBuffers == 0;
    }
}
