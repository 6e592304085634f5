package dev.meshguard.verdict.internal;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.Expectation;

/**
 * An earlier verdict on some events of a history, whose findings the verdict on the whole does not repeat.
 *
 * @param verdict the earlier verdict
 * @param entry the entry by which its survivors are expected in the whole
 */
public record ExcludedVerdict(LeakVerdict verdict, Expectation entry) {

    /**
     * Returns an excluded verdict.
     *
     * @param by a readable name of the party that reported it
     */
    public static ExcludedVerdict of(LeakVerdict verdict, String by) {
        return new ExcludedVerdict(
                verdict,
                Expectation.because("reported by " + by)
                        .atMost(verdict.survivors().size()));
    }
}
