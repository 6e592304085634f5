package dev.meshguard.assertions.error;

import org.assertj.core.error.BasicErrorMessageFactory;

/** The failure message for a subject that has no history to assert about. */
public final class ShouldHaveHistory extends BasicErrorMessageFactory {

    private ShouldHaveHistory(IllegalStateException unrecorded) {
        super("%n%s", unquotedString(String.valueOf(unrecorded.getMessage())));
    }

    /** Returns the message. */
    public static ShouldHaveHistory shouldHaveHistory(IllegalStateException unrecorded) {
        return new ShouldHaveHistory(unrecorded);
    }
}
