package dev.meshguard.verdict.growth;

import dev.meshguard.event.BufferType;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of the fragmentation of one memory of a mesh over the rounds.
 *
 * <p>Fragmented bytes are those free bytes of a bank that do not belong to its largest free block. A request that needs them in one
 * piece is rejected although they are free. A leak alone makes the largest free block smaller and is no fragmentation.
 *
 * @param mesh the number of the mesh, whose devices have the same addresses
 * @param type the memory
 * @param fragmented the bytes of a bank that each round added to the fragmented ones
 * @param largestFree the largest free block of a bank after the first round, and then the change by each round, in bytes; negative
 *     where it became smaller
 * @param trend the trend of the fragmented bytes
 * @param growth the fragmented bytes added after the warm-up
 * @param roundsCounted the number of rounds after the warm-up
 * @param roundsNeeded how many more rounds would decide at the earliest; 0 if it is decided
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FragmentationGrowth(
        int mesh,
        BufferType type,
        RoundVector fragmented,
        RoundVector largestFree,
        Trend trend,
        long growth,
        int roundsCounted,
        int roundsNeeded) {

    /** Returns the slope: the bytes that a round fragments, rounded up; 0 unless they grow. */
    public long bytesPerRound() {
        return trend == Trend.GROWING ? (growth + roundsCounted - 1) / roundsCounted : 0;
    }

    /**
     * Returns the slope of the largest free block: the bytes that a round after the warm-up changes it by on average, rounded
     * away from 0; negative if it becomes smaller.
     */
    public long largestFreePerRound() {
        int first = Math.max(1, largestFree.rounds() - roundsCounted); // The first entry is a size and no change.
        int counted = largestFree.rounds() - first;
        long change = 0;
        for (int round = first + 1; round <= largestFree.rounds(); round++) {
            change += largestFree.retainedBy(round);
        }
        return counted < 1 ? 0 : (long) (Math.signum((double) change) * Math.ceil((double) Math.abs(change) / counted));
    }

    /** Returns the bytes of the largest free block of a bank after the last round. */
    public long largestFreeAtEnd() {
        return largestFree.total();
    }
}
