package dev.meshguard.verdict.growth;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The forecast of when a growing memory will be full, or the reason why there is none.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface Forecast {

    /**
     * The memory will be full.
     *
     * <p>The forecast counts the reserved bytes of each bank. They exceed the reported bytes, because every bank
     * reserves whole pages. Fragmentation may fill the memory sooner.
     *
     * @param moreRounds how many rounds like those after the warm-up still fit after the last one
     * @param bytesPerBank the bytes of each bank that an allocator can reserve
     * @param freePerBank the bytes of these that are free after the last round
     * @param growthPerBank the bytes of each bank that the rounds after the warm-up retained
     * @param rounds the number of those rounds
     */
    record Full(long moreRounds, long bytesPerBank, long freePerBank, long growthPerBank, int rounds)
            implements Forecast {}

    /**
     * There is no forecast.
     *
     * @param reason why, as a part of a sentence
     */
    record Unknown(String reason) implements Forecast {}

    /** The memory does not grow. */
    record Never() implements Forecast {}
}
