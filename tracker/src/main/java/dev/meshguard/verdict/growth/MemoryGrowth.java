package dev.meshguard.verdict.growth;

import dev.meshguard.verdict.DeviceMemory;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What the rounds left behind in one memory of one device.
 *
 * @param memory where
 * @param bytes what each round left, in bytes
 * @param trend where that leads
 * @param growth the bytes that came on top after the warm-up
 * @param roundsCounted the number of rounds after the warm-up
 * @param roundsNeeded how many rounds more would decide at the earliest; 0 when it is decided
 * @param forecast when the memory will be full; of books never, because books are no memory
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryGrowth(
        DeviceMemory memory,
        RoundVector bytes,
        Trend trend,
        long growth,
        int roundsCounted,
        int roundsNeeded,
        Forecast forecast) {

    /** Returns the slope: the bytes that a round leaves, rounded up; 0 unless it is growing. */
    public long bytesPerRound() {
        return trend == Trend.GROWING ? (growth + roundsCounted - 1) / roundsCounted : 0;
    }

    /** Returns whether the slope is exact; else some rounds leave more than others, and it is their mean. */
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
