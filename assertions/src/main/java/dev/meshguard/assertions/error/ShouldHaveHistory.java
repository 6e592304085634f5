package dev.meshguard.assertions.error;

import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for a source that has no history. */
public final class ShouldHaveHistory extends BasicErrorMessageFactory {

    private ShouldHaveHistory(IllegalStateException unrecorded) {
        super("%n%s", unquotedString(String.valueOf(unrecorded.getMessage())));
    }

    /** Returns the message. */
    public static ShouldHaveHistory shouldHaveHistory(IllegalStateException unrecorded) {
        return new ShouldHaveHistory(unrecorded);
    }
}
