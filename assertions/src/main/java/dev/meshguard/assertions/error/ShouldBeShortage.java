package dev.meshguard.assertions.error;

import dev.meshguard.event.MemoryShortage;
import dev.meshguard.event.Quantities;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The messages for a memory without room that is so for another reason, or is held by others. */
public final class ShouldBeShortage extends BasicErrorMessageFactory {

    private ShouldBeShortage(String expected, MemoryShortage actual) {
        super(
                "%nExpecting the memory to be %s but it was:%n  %s",
                unquotedString(expected), unquotedString(actual.toString().replace("\n", "\n  ")));
    }

    /** Returns the message for another reason. */
    public static ShouldBeShortage shouldBe(MemoryShortage actual, MemoryShortage.Reason reason) {
        return new ShouldBeShortage(reason.toString(), actual);
    }

    /** Returns the message for a memory that no buffer with a label holds. */
    public static ShouldBeShortage shouldBeHeldBy(MemoryShortage actual, String label) {
        return new ShouldBeShortage("held by " + Quantities.quoted(label), actual);
    }
}
