package dev.meshguard.assertions.error;

import dev.meshguard.tracker.history.PolicyLedger;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message of books that should hold nothing. */
public final class ShouldBeEmptyBooks extends BasicErrorMessageFactory {

    private ShouldBeEmptyBooks(PolicyLedger actual) {
        super(
                "%nExpecting the books to be empty but found:%n  %s",
                unquotedString(actual.toString().replace("\n", "\n  ")));
    }

    /** Returns the message. */
    public static ShouldBeEmptyBooks shouldBeEmptyBooks(PolicyLedger actual) {
        return new ShouldBeEmptyBooks(actual);
    }
}
