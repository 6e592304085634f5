package dev.meshguard.assertions.error;

import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for a history whose events were not kept, so that a question about the past has no answer. */
public final class ShouldKeepEvents extends BasicErrorMessageFactory {

    private ShouldKeepEvents(String question) {
        super(
                "%nIt is not known %s: the history keeps live buffers and totals only.%n"
                        + "Record it with Retention.ALL, which is the default.",
                unquotedString(question));
    }

    /**
     * Returns the message.
     *
     * @param question what cannot be answered, as a clause that begins with "whether"
     */
    public static ShouldKeepEvents shouldKeepEvents(String question) {
        return new ShouldKeepEvents(question);
    }
}
