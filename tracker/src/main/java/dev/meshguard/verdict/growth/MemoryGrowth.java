package dev.meshguard.verdict.growth;

import dev.meshguard.verdict.DeviceMemory;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of one memory of one device over the rounds.
 *
 * @param memory the memory
 * @param bytes the bytes that each round retained
 * @param trend the trend
 * @param growth the bytes added after the warm-up
 * @param roundsCounted the number of rounds after the warm-up
 * @param roundsNeeded how many more rounds would decide at the earliest; 0 if it is decided
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryGrowth(
        DeviceMemory memory, RoundVector bytes, Trend trend, long growth, int roundsCounted, int roundsNeeded) {

    /** Returns the slope: the bytes that a round retains, rounded up; 0 unless it is growing. */
    public long bytesPerRound() {
        return trend == Trend.GROWING ? (growth + roundsCounted - 1) / roundsCounted : 0;
    }

    /** Returns whether the slope is exact; else some rounds retain more than others, and it is their mean. */
    public boolean isSteady() {
        long first = bytes.retainedBy(bytes.rounds());
        for (int round = bytes.rounds() - roundsCounted + 1; round <= bytes.rounds(); round++) {
            if (bytes.retainedBy(round) != first) {
                return false;
            }
        }
        return true;
    }
}
