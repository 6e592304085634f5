package dev.meshguard.mesh.buffer;

import java.util.stream.IntStream;

/**
 * The numbers from 0 in the order in which libstdc++ shuffles them with its default random engine, seeded with 0.
 *
 * <p>The engine is {@code minstd_rand0}: each state is 16807 times the one before, modulo 2^31 - 1; a seed of 0 counts as 1. A
 * number below a bound is a state divided down, and a state too large for all results to be as likely is passed over. As the
 * engine's range is large, the shuffle takes the partners of two elements out of one such number. Compared with g++ 12 for every
 * count from 1 to 200. Not thread-safe.
 */
final class ShuffledNumbers {

    private static final long MODULUS = 2_147_483_647;
    private static final long MULTIPLIER = 16_807;
    /** The engine returns its states minus 1, the smallest state. */
    private static final long RANGE = MODULUS - 2;

    private final int[] numbers;
    private long state = 1;

    private ShuffledNumbers(int count) {
        this.numbers = IntStream.range(0, count).toArray();
    }

    /** Returns the numbers from 0 to before the count, shuffled. */
    static int[] upTo(int count) {
        ShuffledNumbers shuffled = new ShuffledNumbers(count);
        shuffled.shuffle();
        return shuffled.numbers;
    }

    private void shuffle() {
        int next = 1;
        if (numbers.length % 2 == 0 && numbers.length > 0) {
            swap(next++, (int) below(2));
        }
        while (next < numbers.length) {
            long first = next + 1L;
            long second = next + 2L;
            long both = below(first * second);
            swap(next++, (int) (both / second));
            swap(next++, (int) (both % second));
        }
    }

    private long below(long bound) {
        long scale = RANGE / bound;
        long drawn = draw();
        while (drawn >= bound * scale) {
            drawn = draw();
        }
        return drawn / scale;
    }

    private long draw() {
        state = state * MULTIPLIER % MODULUS;
        return state - 1;
    }

    private void swap(int one, int other) {
        int number = numbers[one];
        numbers[one] = numbers[other];
        numbers[other] = number;
    }
}
