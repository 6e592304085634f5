package dev.meshguard.verdict.growth;

import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.DeviceMemory;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of one memory over the rounds: in bytes, or in units if some of it is of unknown size, as that of objects that were never
 * closed.
 *
 * @param memory the memory
 * @param units the words for the units if the amounts are numbers of these, not bytes
 * @param amounts the bytes or units that each round retained
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryGrowth(DeviceMemory memory, Optional<SourceVocabulary> units, RoundVector amounts) {

    /** Returns an amount as text, for example {@code 4 KiB} or {@code 2 arenas}. */
    public String text(long amount) {
        return units.map(words -> words.count(amount)).orElseGet(() -> Quantities.size(amount));
    }
}
