package dev.meshguard.verdict.growth;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The ways in which retained memory develops over repeated rounds, from settled to growing, and the rule that
 * distinguishes them.
 *
 * <p>The rule looks at new highs: rounds after which more memory is allocated than after any round before. Memory that
 * is freed and allocated again reaches none. The first rounds, usually one, are warm-up: their survivors are a cache.
 * <ol>
 *   <li>No new high after the warm-up: {@link #SETTLED}, as {@code [5, 0, 0, 0]} and {@code [1, -1, 1, 0]}.
 *   <li>More rounds since the last new high than ever between two: {@link #SETTLING}, as {@code [3, 1, 0]}.
 *   <li>Two or more new highs after the warm-up, which do not steadily decrease: {@link #GROWING}, as
 *       {@code [1, 1, 1, 1]}, {@code [0, 1, 0, 1]} and {@code [4, 2, 3]}.
 *   <li>Else {@link #UNDECIDED}: one new high, as {@code [5, 0, 1]}, may be the first of many, and {@code [3, 2, 1]}
 *       may end.
 * </ol>
 *
 * <p>With fewer than two rounds after the warm-up every vector is {@link #UNDECIDED}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Trend {
    /** No growth after the warm-up. */
    SETTLED("settled"),
    /** Growth after the warm-up, but none for long enough since. */
    SETTLING("settling"),
    /** Too few rounds to decide. */
    UNDECIDED("undecided"),
    /** Steady growth. */
    GROWING("growing");

    /** The minimum number of rounds after the warm-up that can show a trend. */
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
}
