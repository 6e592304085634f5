package dev.meshguard.capture.evidence.internal;

import dev.meshguard.capture.evidence.internal.RuntimeText.ListedBuffer;
import dev.meshguard.event.PrintableText;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats the runtime's texts as sentences. */
public final class RuntimeTextNotes {

    private static final int MAX_LISTED = 5;
    private static final int MAX_PARTS = 3;

    private RuntimeTextNotes() {}

    /** Returns the figures of a text as a sentence. */
    public static String figures(RuntimeText text) {
        return text.kind() == RuntimeText.Kind.REJECTED_REQUEST
                ? "The rejected request: " + text.figures() + "."
                : sentence(text, "in its reason");
    }

    /**
     * Returns a text as a sentence.
     *
     * @param where its place: {@code line 6}
     */
    static String sentence(RuntimeText text, String where) {
        return switch (text.kind()) {
            case ALIVE_BEFORE_REPLAY ->
                String.format(
                        Locale.ROOT,
                        "Before a replay of a trace, the runtime listed %s that it would corrupt (%s)%s.",
                        text.figures(),
                        where,
                        listed(text.buffers()));
            case ALLOCATED_WITH_TRACE ->
                String.format(
                        Locale.ROOT,
                        "The runtime warned that a buffer was allocated while a trace was active (%s): a replay may corrupt"
                                + " it. The text does not name it.",
                        where);
            case REJECTED_REQUEST ->
                String.format(Locale.ROOT, "The runtime rejected a request (%s): %s.", where, text.figures());
        };
    }

    private static String listed(List<ListedBuffer> buffers) {
        if (buffers.isEmpty()) {
            return "";
        }
        String text = buffers.stream()
                .limit(MAX_LISTED)
                .map(RuntimeTextNotes::description)
                .collect(Collectors.joining("; ", ": ", ""));
        return buffers.size() > MAX_LISTED ? text + "; and " + (buffers.size() - MAX_LISTED) + " more" : text;
    }

    private static String description(ListedBuffer buffer) {
        return "buffer " + buffer.id()
                + buffer.operation()
                        .map(name -> " of " + PrintableText.line(name))
                        .orElse("")
                + parts(", allocated at ", buffer.frames())
                + parts(", referenced by ", buffer.references());
    }

    private static String parts(String before, List<String> parts) {
        return parts.isEmpty()
                ? ""
                : parts.stream()
                        .limit(MAX_PARTS)
                        .map(PrintableText::line)
                        .collect(Collectors.joining(", ", before, parts.size() > MAX_PARTS ? ", …" : ""));
    }
}
