package dev.meshguard.verdict.growth;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * When a memory that grows will be full, or why that is not said.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface Forecast {

    /**
     * It will be full.
     *
     * <p>Counted in what is reserved in each bank, which is more than what is reported, because every bank takes whole pages.
     * Free memory that lies in pieces may end it sooner.
     *
     * @param moreRounds how many rounds like those after the warm-up still fit after the last one
     * @param bytesPerBank what an allocator can lend of each bank
     * @param freePerBank what of it is left after the last round
     * @param growthPerBank what the rounds after the warm-up took of each bank for good
     * @param rounds the number of those rounds
     */
    record Full(long moreRounds, long bytesPerBank, long freePerBank, long growthPerBank, int rounds)
            implements Forecast {}

    /**
     * It cannot be known when.
     *
     * @param reason why, as a part of a sentence
     */
    record Unknown(String reason) implements Forecast {}

    /** It does not grow. */
    record Never() implements Forecast {}
}
