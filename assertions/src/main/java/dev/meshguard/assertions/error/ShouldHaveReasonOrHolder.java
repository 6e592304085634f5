package dev.meshguard.assertions.error;

import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.text.Quantities;
import org.assertj.core.error.BasicErrorMessageFactory;

/**
 * The failure messages of assertions about a memory without room for a request: the reason is another than expected, or
 * no buffer with the expected label is in it.
 */
public final class ShouldHaveReasonOrHolder extends BasicErrorMessageFactory {

    private ShouldHaveReasonOrHolder(String expected, MemoryShortage actual) {
        super(
                "%nExpecting the memory to be %s but it was:%n  %s",
                unquotedString(expected), unquotedString(actual.toString().replace("\n", "\n  ")));
    }

    /** Returns the message for another reason. */
    public static ShouldHaveReasonOrHolder shouldBe(MemoryShortage actual, MemoryShortage.Reason reason) {
        return new ShouldHaveReasonOrHolder(reason.toString(), actual);
    }

    /** Returns the message for a memory that no buffer with a label holds. */
    public static ShouldHaveReasonOrHolder shouldBeHeldBy(MemoryShortage actual, String label) {
        return new ShouldHaveReasonOrHolder("held by " + Quantities.quoted(label), actual);
    }
}
