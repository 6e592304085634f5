package dev.meshguard.verdict.expectation;

import dev.meshguard.event.Quantities;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The range of sizes that an expectation accepts, in bytes of one buffer.
 *
 * @param smallest the smallest
 * @param largest the largest, {@link Long#MAX_VALUE} if there is no limit
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record SizeRange(long smallest, long largest) {

    /**
     * Creates a range.
     *
     * @throws IllegalArgumentException if a size is negative, or the smallest is larger than the largest
     */
    public SizeRange {
        ExpectationChecks.rejectNegative("size", smallest);
        ExpectationChecks.rejectNegative("size", largest);
        ExpectationChecks.rejectInverse("size", smallest, largest);
    }

    /** Returns the range of all sizes. */
    public static SizeRange any() {
        return new SizeRange(0, Long.MAX_VALUE);
    }

    /** Returns the range of one size. */
    public static SizeRange exactly(long size) {
        return new SizeRange(size, size);
    }

    /** Returns whether every size is in it. */
    public boolean isAny() {
        return smallest == 0 && largest == Long.MAX_VALUE;
    }

    /** Returns whether a size is in it. */
    public boolean contains(long size) {
        return smallest <= size && size <= largest;
    }

    /** Returns the range as text: {@code 64 B each}, {@code 64 B to 128 B each}. */
    @Override
    public String toString() {
        if (isAny()) {
            return "any size";
        }
        if (smallest == largest) {
            return Quantities.size(smallest) + " each";
        }
        return largest == Long.MAX_VALUE
                ? "at least " + Quantities.size(smallest) + " each"
                : Quantities.size(smallest) + " to " + Quantities.size(largest) + " each";
    }
}
