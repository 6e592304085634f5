package dev.meshguard.benchmarks.recorder;

import java.util.Random;

/**
 * Addresses as an allocator returns them: aligned, distinct, in no order.
 *
 * <p>Multiples of a page, which real addresses often are, would be unfair to the map of records. They leave the lower bits of a
 * record's hash equal, and its bins become trees. The addresses are therefore irregular.
 */
final class Addresses {

    private static final long ALIGNMENT = 32;
    private static final int SPACING = 41;

    private Addresses() {}

    static long[] shuffled(int count) {
        long[] addresses = new long[count];
        Random random = new Random(count);
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            addresses[i] = addresses[other];
            addresses[other] = ((i + 1L) * SPACING + random.nextInt(SPACING)) * ALIGNMENT;
        }
        return addresses;
    }
}
