package dev.meshguard.assertions.error;

import dev.meshguard.event.Quantities;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for an unexpected amount, with the whole of which it is a part. */
public final class ShouldHaveAmount extends BasicErrorMessageFactory {

    private ShouldHaveAmount(String what, String relation, String expected, String found, Object whole) {
        super(
                "%nExpecting %s to be%s:%n  %s%nbut found:%n  %s%nin:%n  %s",
                unquotedString(what),
                unquotedString(relation),
                unquotedString(expected),
                unquotedString(found),
                unquotedString(whole.toString().replace("\n", "\n  ")));
    }

    /** Returns the message for an unexpected number of bytes. */
    public static ShouldHaveAmount shouldHaveBytes(String what, long expected, long found, Object whole) {
        return new ShouldHaveAmount(what, "", Quantities.size(expected), Quantities.size(found), whole);
    }

    /** Returns the message for too many bytes. */
    public static ShouldHaveAmount shouldHaveBytesAtMost(String what, long most, long found, Object whole) {
        return new ShouldHaveAmount(what, " at most", Quantities.size(most), Quantities.size(found), whole);
    }

    /** Returns the message for an unexpected count. */
    public static ShouldHaveAmount shouldHaveCount(String what, long expected, long found, Object whole) {
        return new ShouldHaveAmount(what, "", Long.toString(expected), Long.toString(found), whole);
    }
}
