package dev.meshguard.verdict.internal;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.Expectation;

/**
 * A verdict on a part of a history, for example on one test's part, whose findings the verdict on the whole history does
 * not repeat.
 *
 * @param verdict the earlier verdict
 * @param entry the entry by which its survivors are expected in the whole
 */
public record EarlierVerdict(LeakVerdict verdict, Expectation entry) {

    /**
     * Returns an excluded verdict.
     *
     * @param by a readable name of the party that reported it
     */
    public static EarlierVerdict of(LeakVerdict verdict, String by) {
        return new EarlierVerdict(
                verdict,
                Expectation.because("reported by " + by)
                        .atMost(verdict.survivors().size()));
    }
}
