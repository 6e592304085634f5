package dev.meshguard.verdict.growth;

import dev.meshguard.verdict.DeviceMemory;
import java.util.stream.IntStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of one memory of one device over the rounds.
 *
 * @param memory the memory
 * @param bytes the bytes that each round retained
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryGrowth(DeviceMemory memory, RoundVector bytes) {

    /** Returns the slope: the bytes that a round retains, rounded up; 0 unless it is growing. */
    public long bytesPerRound() {
        int counted = bytes.roundsCounted();
        return bytes.trend() == Trend.GROWING ? (bytes.growth() + counted - 1) / counted : 0;
    }

    /** Returns whether the slope is exact; else some rounds retain more than others, and it is their mean. */
    public boolean isSteady() {
        long last = bytes.retainedBy(bytes.rounds());
        return IntStream.rangeClosed(bytes.warmUp() + 1, bytes.rounds())
                .allMatch(round -> bytes.retainedBy(round) == last);
    }
}
