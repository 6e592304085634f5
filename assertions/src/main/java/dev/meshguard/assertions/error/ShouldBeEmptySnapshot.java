package dev.meshguard.assertions.error;

import dev.meshguard.tracker.MemorySnapshot;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message of a snapshot that should hold nothing. */
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
