package dev.meshguard.verdict.growth;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The amount that each of a number of rounds retained: {@code [5, 0, 0, 0]}.
 *
 * <p>An amount is the value at the end of a round minus the value at the end of the one before. It is negative if more
 * was freed than allocated. Only rounds with an amount use memory.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RoundVector {

    private static final int SHOWN = 8;
    private static final int SHOWN_OF_MANY = 3;

    private final int rounds;
    private final int[] roundIndexes;
    private final long[] amounts;

    private RoundVector(int rounds, int[] places, long[] amounts) {
        this.rounds = rounds;
        this.roundIndexes = places;
        this.amounts = amounts;
    }

    /** Returns the vector of the given amounts, the first round's first. */
    public static RoundVector of(long... amounts) {
        Builder builder = new Builder();
        for (int round = 0; round < amounts.length; round++) {
            builder.add(round, amounts[round]);
        }
        return builder.build(amounts.length);
    }

    /** Returns the number of rounds. */
    public int rounds() {
        return rounds;
    }

    /**
     * Returns the amount that a round retained.
     *
     * @param round the round, from 1
     * @throws IndexOutOfBoundsException if there is no such round
     */
    public long retainedBy(int round) {
        Objects.checkIndex(round - 1, rounds);
        int place = Arrays.binarySearch(roundIndexes, round - 1);
        return place < 0 ? 0 : amounts[place];
    }

    /** Returns the sum over all rounds. */
    public long total() {
        return Arrays.stream(amounts).sum();
    }

    /** Returns whether every amount is 0. */
    public boolean isZero() {
        return roundIndexes.length == 0;
    }

    /** Returns the amounts, the first round's first. */
    public List<Long> toList() {
        return IntStream.rangeClosed(1, rounds).mapToObj(this::retainedBy).toList();
    }

    /** The indexes of the rounds whose amount is not 0, from 0. */
    int[] roundIndexes() {
        return roundIndexes;
    }

    /** Their amounts. */
    long[] amounts() {
        return amounts;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RoundVector vector
                && rounds == vector.rounds
                && Arrays.equals(roundIndexes, vector.roundIndexes)
                && Arrays.equals(amounts, vector.amounts);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * rounds + Arrays.hashCode(roundIndexes)) + Arrays.hashCode(amounts);
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
                ? String.format(Locale.ROOT, "%d more of %d", to - from + 1, amount)
                : String.format(Locale.ROOT, "… %d more …", to - from + 1);
    }

    /** Collects amounts in the order of rounds; not safe for use by several threads. */
    static final class Builder {

        private static final int ROOM = 4;

        private int[] roundIndexes = new int[ROOM];
        private long[] amounts = new long[ROOM];
        private int size;

        /** Adds to the amount of a round, from 0; rounds must not descend. */
        void add(int round, long amount) {
            if (size > 0 && roundIndexes[size - 1] == round) {
                amounts[size - 1] += amount;
                return;
            }
            if (size == roundIndexes.length) {
                roundIndexes = Arrays.copyOf(roundIndexes, size * 2);
                amounts = Arrays.copyOf(amounts, size * 2);
            }
            roundIndexes[size] = round;
            amounts[size] = amount;
            size++;
        }

        RoundVector build(int rounds) {
            int kept = 0;
            for (int i = 0; i < size; i++) {
                if (amounts[i] != 0) {
                    roundIndexes[kept] = roundIndexes[i];
                    amounts[kept] = amounts[i];
                    kept++;
                }
            }
            size = kept;
            return new RoundVector(rounds, Arrays.copyOf(roundIndexes, kept), Arrays.copyOf(amounts, kept));
        }
    }
}
