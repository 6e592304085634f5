package dev.meshguard.assertions.error;

import dev.meshguard.text.Quantities;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The failure message for an unexpected amount, with the whole of which it is a part. */
public final class ShouldHaveAmount extends BasicErrorMessageFactory {

    private ShouldHaveAmount(String what, String expected, String found, Object whole) {
        super(
                "%nExpecting %s to be:%n  %s%nbut found:%n  %s%nin:%n  %s",
                unquotedString(what),
                unquotedString(expected),
                unquotedString(found),
                unquotedString(whole.toString().replace("\n", "\n  ")));
    }

    /** Returns the message for an unexpected number of bytes. */
    public static ShouldHaveAmount shouldHaveBytes(String what, long expected, long found, Object whole) {
        return new ShouldHaveAmount(what, Quantities.size(expected), Quantities.size(found), whole);
    }

    /** Returns the message for an unexpected count. */
    public static ShouldHaveAmount shouldHaveCount(String what, long expected, long found, Object whole) {
        return new ShouldHaveAmount(what, Long.toString(expected), Long.toString(found), whole);
    }
}
