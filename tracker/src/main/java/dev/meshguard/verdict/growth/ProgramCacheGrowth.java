package dev.meshguard.verdict.growth;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of the program cache by one operation over the rounds.
 *
 * <p>A cache keeps one program for each key, the operation with the shapes and other properties of its tensors. It grows with every
 * new shape until it is cleared. The caches of all meshes count together; a mesh takes its programs with it when it closes.
 *
 * @param operation the operation, if the source reported it
 * @param programs the programs that each round added to the cache
 * @param programsAtEnd the programs that are in the cache after the last round, including those from before the first
 * @param bytesAtEnd the bytes of their kernel binaries on all devices
 * @param bytesPerBankAtEnd the bytes that these reserve in each bank of a device, if known
 * @param misses the calls that added a program, in their order; also those whose program was removed again
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ProgramCacheGrowth(
        Optional<String> operation,
        RoundVector programs,
        int programsAtEnd,
        long bytesAtEnd,
        OptionalLong bytesPerBankAtEnd,
        List<CacheMiss> misses) {

    /** Creates a growth with its own copy of the misses. */
    public ProgramCacheGrowth {
        misses = List.copyOf(misses);
    }

    /** Returns the misses after the warm-up. */
    public List<CacheMiss> missesAfterWarmUp() {
        return misses.stream().filter(miss -> miss.round() > programs.warmUp()).toList();
    }
}
