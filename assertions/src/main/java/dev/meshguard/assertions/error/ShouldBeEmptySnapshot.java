package dev.meshguard.assertions.error;

import dev.meshguard.history.MemorySnapshot;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for a snapshot that should be empty. */
public final class ShouldBeEmptySnapshot extends BasicErrorMessageFactory {

    private ShouldBeEmptySnapshot(MemorySnapshot actual) {
        super(
                "%nExpecting nothing to be allocated but found:%n  %s",
                unquotedString(actual.toString().replace("\n", "\n  ")));
    }

    /** Returns the message. */
    public static ShouldBeEmptySnapshot shouldBeEmptySnapshot(MemorySnapshot actual) {
        return new ShouldBeEmptySnapshot(actual);
    }
}
