package dev.meshguard.assertions.error;

import dev.meshguard.history.MemorySnapshot;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for a snapshot that holds more than an earlier one. */
public final class ShouldNotHaveGrown extends BasicErrorMessageFactory {

    private ShouldNotHaveGrown(MemorySnapshot difference) {
        super(
                "%nExpecting no memory to hold more than before, but since then it grew (or, if negative, shrank) by:%n  %s",
                unquotedString(difference.toString().replace("\n", "\n  ")));
    }

    /** Returns the message for the change since then. */
    public static ShouldNotHaveGrown shouldNotHaveGrown(MemorySnapshot difference) {
        return new ShouldNotHaveGrown(difference);
    }
}
