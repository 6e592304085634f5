package dev.meshguard.assertions.error;

import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Survivor;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message of a survivor with another cause. */
public final class ShouldHaveCause extends BasicErrorMessageFactory {

    private ShouldHaveCause(Survivor survivor, Cause expected) {
        super(
                "%nExpecting the cause of:%n  %s%nto be:%n  %s%nbut was:%n  %s%nbecause:%n  %s",
                unquotedString(survivor.buffer().toString()),
                expected,
                survivor.cause(),
                unquotedString(ShouldHaveEvidence.facts(survivor)));
    }

    /** Returns the message. */
    public static ShouldHaveCause shouldHaveCause(Survivor survivor, Cause expected) {
        return new ShouldHaveCause(survivor, expected);
    }
}
