package dev.meshguard.capture.internal;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * The options for reading a recording: the rank, the rounds, and whether its end is judged.
 *
 * @param rank the only process that is read, by its rank; empty for all
 * @param judgesEnd whether a buffer that remains has leaked; otherwise it may be freed later
 * @param roundMark matches in the names of operations that begin a round
 */
public record ReadingCriteria(OptionalInt rank, boolean judgesEnd, Optional<Pattern> roundMark) {

    /** Returns whether the process of a rank is read. */
    public boolean reads(int process) {
        return rank.isEmpty() || rank.getAsInt() == process;
    }

    boolean beginsRound(String operation) {
        return roundMark.filter(mark -> mark.matcher(operation).find()).isPresent();
    }
}
