package dev.meshguard.capture.evidence.internal;

import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the texts in the lines of a log in which the runtime rejects requests for memory.
 *
 * <p>Programs print them behind any prefix. Loggers and terminals break a rejection anywhere between words, so each line that
 * continues one of its {@linkplain RejectionForm forms} belongs to it.
 */
public final class RuntimeTextParser {

    /** The number of rejected requests that are kept. */
    private static final int MAX_TEXTS = 8;

    private static final int MAX_LENGTH = 2_000;

    private static final Pattern REJECTION =
            Pattern.compile("Out of Memory: (?:Not enough|Cannot)|Statically allocated (?:circular|dataflow)"
                    + "|Cannot set to globally allocated buffer|get_trace_buffers_size\\(\\) <="
                    + "|Creating trace buffers of|Trace buffer at address"
                    + "|Shrink size \\S+ (?:must|cuts)|Worker L1 size \\S+ is larger");

    /** What stands before the rest of a rejection in a further line: parts of a prefix. */
    private static final Pattern PREFIX = Pattern.compile("(?:^E|[|\\]:>])\\s+");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{}");
    /** What replaces a placeholder. The values follow the text, one in a line or all in one. */
    private static final Pattern VALUE = Pattern.compile("\\d+|[A-Z][A-Z0-9_]*|\\[[^\\]]{1,100}]|\\{[^}]{1,100}}");

    private static final Pattern VALUES =
            Pattern.compile("(?:E\\s+)?((?:%1$s)(?:[\\s,]+(?:%1$s))*)".formatted(VALUE.pattern()));

    private final List<RuntimeText> first = new ArrayList<>();
    private long rejections;

    /** The rejection in the last lines, which the next may continue; empty if there is none. */
    private String rejection = "";

    private long rejectionLine;

    /** Reads a line; returns whether it belongs to such a text. */
    public boolean read(String text, long line) {
        if (!rejection.isEmpty() && continues(text.strip())) {
            return true;
        }
        finish();
        Matcher begun = REJECTION.matcher(text);
        if (begun.find()) {
            rejection = text.substring(begun.start());
            rejectionLine = line;
            return true;
        }
        return false;
    }

    private boolean continues(String text) {
        Matcher values = VALUES.matcher(text);
        if (rejection.contains("{}") && values.matches()) {
            VALUE.matcher(values.group(1))
                    .results()
                    .forEach(value -> rejection =
                            PLACEHOLDER.matcher(rejection).replaceFirst(Matcher.quoteReplacement(value.group())));
            return true;
        }
        Matcher prefix = PREFIX.matcher(text);
        int from = 0;
        while (rejection.length() + text.length() < MAX_LENGTH) {
            String longer = rejection + " " + text.substring(from);
            if (RejectionForm.isLongerThan(rejection.length(), longer)) {
                rejection = longer;
                return true;
            }
            if (!prefix.find()) {
                break;
            }
            from = prefix.end();
        }
        return false;
    }

    private void finish() {
        if (!rejection.isEmpty()) {
            if (rejections++ < MAX_TEXTS) {
                first.add(RejectionForm.read(rejection, rejectionLine));
            }
            rejection = "";
        }
    }

    /**
     * Returns a note for each of the first texts of the lines that were read, and one for the number of the others.
     *
     * @param holders a sentence about the buffers that stood in the way of a text, if it is known which they were
     */
    public List<String> notes(Function<RuntimeText, Optional<String>> holders) {
        finish();
        List<String> notes = new ArrayList<>();
        for (RuntimeText text : first) {
            notes.add(text.note()
                    + holders.apply(text).map(sentence -> " " + sentence).orElse(""));
        }
        if (rejections > MAX_TEXTS) {
            notes.add("The runtime rejected " + Quantities.count(rejections - MAX_TEXTS, "more request") + ".");
        }
        return notes;
    }

    /** Returns the first text of several lines, as an exception has them. */
    public static Optional<RuntimeText> firstOf(String lines) {
        RuntimeTextParser parser = new RuntimeTextParser();
        lines.lines().forEach(line -> parser.read(line, 0));
        parser.finish();
        return parser.first.stream().findFirst();
    }
}
