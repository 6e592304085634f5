package dev.meshguard.verdict.growth;

import dev.meshguard.event.SourceVocabulary;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The growth of memory of which the size is unknown, as that of objects that were never closed: in units instead of bytes.
 *
 * @param words the words for the units
 * @param units how many units each round retained
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record UnitGrowth(SourceVocabulary words, RoundVector units) {

    /** Returns the name of the memory, for example {@code native memory}; for objects, which are counted by their class, that class. */
    public String name() {
        return words.memory().orElse("memory of no device");
    }
}
