package dev.meshguard.assertions.error;

import dev.meshguard.history.PolicyLedger;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for a ledger that should be empty. */
public final class ShouldBeEmptyLedger extends BasicErrorMessageFactory {

    private ShouldBeEmptyLedger(PolicyLedger actual) {
        super(
                "%nExpecting the ledger to be empty but found:%n  %s",
                unquotedString(actual.toString().replace("\n", "\n  ")));
    }

    /** Returns the message. */
    public static ShouldBeEmptyLedger shouldBeEmptyLedger(PolicyLedger actual) {
        return new ShouldBeEmptyLedger(actual);
    }
}
