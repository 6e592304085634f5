package dev.meshguard.verdict.internal;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.Expectation;

/**
 * A verdict on a part of a history, whose findings the verdict on the whole does not repeat.
 *
 * @param verdict the verdict on the part
 * @param entry the entry by which the survivors of the part are expected in the whole
 */
public record ExcludedPart(LeakVerdict verdict, Expectation entry) {

    /**
     * Returns a part.
     *
     * @param by a readable name of the party that reported it
     */
    public static ExcludedPart of(LeakVerdict verdict, String by) {
        return new ExcludedPart(
                verdict,
                Expectation.because("reported by " + by)
                        .atMost(verdict.survivors().size()));
    }
}
