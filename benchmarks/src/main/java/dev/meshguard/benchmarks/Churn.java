package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.freelist.FreeList;
import java.util.Random;

/**
 * Frees a live block and allocates another of a random size, repeatedly, over a given number of live blocks.
 *
 * <p>A fixed seed determines blocks and sizes, so every list sees the same operations. Sizes are spread evenly over their
 * logarithm, from 32 bytes to 64 KiB.
 */
final class Churn {

    /** Bytes that the live blocks together stay well below, for each of them. */
    private static final long ROOM_FOR_EACH = 65_536;

    private static final int CHOICES = 1 << 16;
    private static final long SEED = 20_260_523;

    private final FreeList list;
    private final long[] live;
    private final int[] victims = new int[CHOICES];
    private final int[] sizes = new int[CHOICES];
    private int next;

    Churn(FreeList list, int blocks) {
        Random random = new Random(SEED);
        for (int i = 0; i < CHOICES; i++) {
            victims[i] = random.nextInt(blocks);
            sizes[i] = (int) Math.round(32 * Math.pow(2_048, random.nextDouble()));
        }
        this.list = list;
        this.live = new long[blocks];
        for (int i = 0; i < blocks; i++) {
            live[i] = list.allocate(sizes[i % CHOICES]);
        }
    }

    /** Returns enough bytes for a number of live blocks. */
    static long room(int blocks) {
        return blocks * ROOM_FOR_EACH;
    }

    /** Returns a sum of the addresses that two lists with the same addresses have in common. */
    long pairs(int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            int choice = next;
            next = (next + 1) % CHOICES;
            list.free(live[victims[choice]]);
            live[victims[choice]] = list.allocate(sizes[choice]);
            sum = 31 * sum + live[victims[choice]];
        }
        return sum;
    }
}
