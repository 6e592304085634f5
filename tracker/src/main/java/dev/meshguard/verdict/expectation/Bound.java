package dev.meshguard.verdict.expectation;

import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The number of buffers that an expectation requires, over all devices of one check.
 *
 * @param atLeast the fewest, 0 if there may be none
 * @param atMost the most, {@link Long#MAX_VALUE} for any number
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Bound(long atLeast, long atMost) {

    /**
     * Creates a bound.
     *
     * @throws IllegalArgumentException if a number is negative, or the fewest are more than the most
     */
    public Bound {
        ExpectationChecks.rejectNegative("count", atLeast);
        ExpectationChecks.rejectNegative("count", atMost);
        if (atLeast > atMost) {
            throw new IllegalArgumentException(InvariantText.of(
                    "An expected buffer's count goes from less to more: %d to %d was given.", atLeast, atMost));
        }
    }

    /** Returns the bound that every number meets. */
    public static Bound any() {
        return new Bound(0, Long.MAX_VALUE);
    }

    /** Returns the bound of one number. */
    public static Bound exactly(long count) {
        return new Bound(count, count);
    }

    /** Returns whether every number meets it. */
    public boolean isAny() {
        return atLeast == 0 && atMost == Long.MAX_VALUE;
    }

    /** Returns the bound as a file of expected buffers has it: {@code exactly 8}, {@code between 2-8}. */
    String toText() {
        if (atLeast == atMost) {
            return "exactly " + atMost;
        }
        if (atLeast == 0) {
            return "atMost " + atMost;
        }
        return atMost == Long.MAX_VALUE ? "atLeast " + atLeast : "between " + atLeast + "-" + atMost;
    }

    /** Returns the bound in words: {@code exactly 8 buffers}, {@code at most 1 buffer}, {@code 2 to 8 buffers}. */
    @Override
    public String toString() {
        if (isAny()) {
            return "any number of buffers";
        }
        if (atLeast == atMost) {
            return "exactly " + Quantities.count(atMost, "buffer");
        }
        if (atLeast == 0) {
            return "at most " + Quantities.count(atMost, "buffer");
        }
        return atMost == Long.MAX_VALUE
                ? "at least " + Quantities.count(atLeast, "buffer")
                : atLeast + " to " + Quantities.count(atMost, "buffer");
    }
}
