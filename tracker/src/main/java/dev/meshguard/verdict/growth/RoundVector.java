package dev.meshguard.verdict.growth;

import dev.meshguard.text.InvariantText;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The amount that each of a number of rounds retained: {@code [5, 0, 0, 0]}, and its {@linkplain Trend trend}.
 *
 * <p>An amount is the value at the end of a round minus the value at the end of the one before. It is negative if more
 * was freed than allocated. Only rounds with an amount use memory.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @param rounds the number of rounds
 * @param warmUp how many of them, the first ones, are warm-up
 * @param amounts the amounts that are not 0, by round, from 1
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RoundVector(int rounds, int warmUp, SortedMap<Integer, Long> amounts) {

    /** The number of warm-up rounds if no other is given. */
    static final int DEFAULT_WARM_UP = 1;

    private static final int SHOWN = 8;
    private static final int SHOWN_OF_MANY = 3;

    /** Creates a vector with its own copy of the amounts. */
    public RoundVector {
        SortedMap<Integer, Long> kept = new TreeMap<>(amounts);
        kept.values().removeIf(amount -> amount == 0);
        amounts = Collections.unmodifiableSortedMap(kept);
    }

    /** Returns the vector of the given amounts, the first round's first; that round is warm-up. */
    public static RoundVector of(long... amounts) {
        SortedMap<Integer, Long> byRound = new TreeMap<>();
        for (long amount : amounts) {
            byRound.put(byRound.size() + 1, amount);
        }
        return new RoundVector(amounts.length, DEFAULT_WARM_UP, byRound);
    }

    /**
     * Returns the amount that a round retained.
     *
     * @param round the round, from 1
     * @throws IndexOutOfBoundsException if there is no such round
     */
    public long retainedBy(int round) {
        Objects.checkIndex(round - 1, rounds);
        return amounts.getOrDefault(round, 0L);
    }

    /** Returns the sum over all rounds. */
    public long total() {
        return amounts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns whether every amount is 0. */
    public boolean isZero() {
        return amounts.isEmpty();
    }

    /** Returns the number of rounds after the warm-up. */
    public int roundsCounted() {
        return Math.max(0, rounds - warmUp);
    }

    /** Returns the trend by the rule of {@link Trend}. */
    public Trend trend() {
        if (roundsCounted() < Trend.MIN_ROUNDS_AFTER_WARM_UP) {
            return Trend.UNDECIDED;
        }
        Highs highs = new Highs();
        if (highs.afterWarmUp == 0) {
            return Trend.SETTLED;
        }
        if (highs.roundsSinceLast() > highs.longestPause) {
            return Trend.SETTLING;
        }
        return highs.afterWarmUp > 1 && !highs.falling ? Trend.GROWING : Trend.UNDECIDED;
    }

    /** Returns the sum of the new highs after the warm-up. */
    public long growth() {
        return new Highs().growth;
    }

    /** Returns the slope: the amount that a round retains, rounded up; 0 unless it is growing. */
    public long perRound() {
        int counted = roundsCounted();
        return trend() == Trend.GROWING ? (growth() + counted - 1) / counted : 0;
    }

    /** Returns whether the slope is exact; else some rounds retain more than others, and it is their mean. */
    public boolean isSteady() {
        long last = retainedBy(rounds);
        return IntStream.rangeClosed(warmUp + 1, rounds).allMatch(round -> retainedBy(round) == last);
    }

    /** Returns how many more rounds would decide the trend at the earliest; 0 if it is decided. */
    public int roundsNeeded() {
        if (trend() != Trend.UNDECIDED) {
            return 0;
        }
        Highs highs = new Highs();
        int missing = warmUp + Trend.MIN_ROUNDS_AFTER_WARM_UP - rounds;
        return missing > 0 ? missing : highs.longestPause + 1 - highs.roundsSinceLast();
    }

    /** The new highs: rounds after which the sum is greater than after any round before. */
    private final class Highs {
        private int afterWarmUp;
        private long growth;
        private int longestPause;
        private int last;
        private boolean falling = true;

        private Highs() {
            long level = 0;
            long highest = 0;
            long lastHigh = Long.MAX_VALUE;
            for (Map.Entry<Integer, Long> amount : amounts.entrySet()) {
                level += amount.getValue();
                if (level <= highest) {
                    continue;
                }
                long high = level - highest;
                int round = amount.getKey();
                highest = level;
                longestPause = Math.max(longestPause, last == 0 ? 0 : round - last - 1);
                last = round;
                falling &= high < lastHigh;
                lastHigh = high;
                if (round > warmUp) {
                    afterWarmUp++;
                    growth += high;
                }
            }
        }

        private int roundsSinceLast() {
            return rounds - last;
        }
    }

    /** Returns {@code [3, 1, 0]}; for many rounds the first and the last, with the number of rounds between. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "[", "]");
        boolean all = rounds <= SHOWN;
        int first = all ? rounds : SHOWN_OF_MANY;
        IntStream.rangeClosed(1, first).forEach(round -> text.add(Long.toString(retainedBy(round))));
        if (!all) {
            text.add(between(first + 1, rounds - SHOWN_OF_MANY));
            IntStream.rangeClosed(rounds - SHOWN_OF_MANY + 1, rounds)
                    .forEach(round -> text.add(Long.toString(retainedBy(round))));
        }
        return text.toString();
    }

    /** Describes a sequence of rounds, in short form if all amounts are equal. */
    private String between(int from, int to) {
        long amount = retainedBy(from);
        boolean even = IntStream.rangeClosed(from, to).allMatch(round -> retainedBy(round) == amount);
        return even
                ? InvariantText.of("%d more of %d", to - from + 1, amount)
                : InvariantText.of("… %d more …", to - from + 1);
    }
}
