package dev.meshguard.verdict.growth;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Where repeated rounds lead, from the harmless to the worst.
 *
 * <p>What counts is a new high: a round after which more is there than after any round before. Memory that is given back and
 * taken again reaches none. The first rounds, usually one, are for warming up: what they leave is a cache.
 *
 * <ol>
 *   <li>No new high after the warm-up: {@link #SETTLED}, as {@code [5, 0, 0, 0]} and {@code [1, -1, 1, 0]}.
 *   <li>The rounds since the last new high are more than there ever were between two: {@link #SETTLING}, as {@code [3, 1, 0]}.
 *   <li>Two new highs or more after the warm-up, which do not get smaller and smaller: {@link #GROWING}, as {@code [1, 1, 1, 1]},
 *       {@code [0, 1, 0, 1]} and {@code [4, 2, 3]}.
 *   <li>Else {@link #UNDECIDED}: one new high, as {@code [5, 0, 1]}, may be the first of many, and {@code [3, 2, 1]} may end.
 * </ol>
 *
 * <p>With fewer than two rounds after the warm-up everything is {@link #UNDECIDED}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Trend {
    /** Nothing came that was not there after the warm-up. */
    SETTLED("settled"),
    /** Something came after the warm-up, but for long enough nothing more. */
    SETTLING("settling"),
    /** The rounds are too few to tell. */
    UNDECIDED("undecided"),
    /** More and more is left. */
    GROWING("growing");

    /** How many rounds after the warm-up show a trend at the earliest. */
    public static final int MIN_ROUNDS_AFTER_WARM_UP = 2;

    private final String description;

    Trend(String words) {
        this.description = words;
    }

    /** Returns the trend as an adjective. */
    public String description() {
        return description;
    }

    /** Returns whether memory will not grow further, as far as the rounds show. */
    public boolean isQuiet() {
        return this == SETTLED || this == SETTLING;
    }

    Trend orWorse(Trend other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
