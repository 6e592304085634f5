package dev.meshguard.capture.evidence.internal;

import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the runtime's texts about memory in the lines of a log.
 *
 * <p>Programs print them behind any prefix. Loggers and terminals break a rejection anywhere between words, so each line that
 * continues one of its {@linkplain RejectionForm forms} belongs to it.
 */
public final class RuntimeTextParser {

    /** The number of rejected requests that are kept, and of other texts. */
    private static final int MAX_TEXTS = 8;

    private static final int MAX_LENGTH = 2_000;

    private static final Pattern REJECTION =
            Pattern.compile("Out of Memory: (?:Not enough|Cannot)|Statically allocated (?:circular|dataflow)"
                    + "|Cannot set to globally allocated buffer|Creating trace buffers of size|Trace buffer at address"
                    + "|Shrink size \\S+ (?:must|cuts)|Worker L1 size \\S+ is larger");

    /** What stands before the rest of a rejection in a further line: parts of a prefix. */
    private static final Pattern PREFIX = Pattern.compile("(?:^E|[|\\]:>])\\s+");

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{}");
    /** What replaces a placeholder. The values follow the text, one in a line or all in one. */
    private static final Pattern VALUE = Pattern.compile("\\d+|[A-Z][A-Z0-9_]*|\\[[^\\]]{1,100}]|\\{[^}]{1,100}}");

    private static final Pattern VALUES =
            Pattern.compile("(?:E\\s+)?((?:%1$s)(?:[\\s,]+(?:%1$s))*)".formatted(VALUE.pattern()));

    private static final Pattern WITH_TRACE = Pattern.compile(
            "Allocating device buffers is (?:potentially )?unsafe due to the existence of an active trace");

    private static final Pattern BEFORE_REPLAY =
            Pattern.compile("Found (\\d{1,9}) device buffer\\(s\\) still alive before trace replay");

    private final List<RuntimeText> first = new ArrayList<>();
    private long rejections;
    private long others;

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
        Optional<RuntimeText> warning = warning(text, line);
        warning.ifPresent(this::add);
        return warning.isPresent();
    }

    private static Optional<RuntimeText> warning(String text, long line) {
        if (WITH_TRACE.matcher(text).find()) {
            return Optional.of(new RuntimeText(
                    line,
                    "The runtime warned that a buffer was allocated while a trace was active",
                    ": a replay may corrupt it. The text does not name it.",
                    Optional.empty()));
        }
        Matcher list = BEFORE_REPLAY.matcher(text);
        return list.find()
                ? Optional.of(new RuntimeText(
                        line,
                        "Before a replay of a trace, the runtime listed "
                                + Quantities.count(Long.parseLong(list.group(1)), "buffer") + " that it would corrupt",
                        ": the lines that follow name them.",
                        Optional.empty()))
                : Optional.empty();
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
            add(RejectionForm.read(rejection, rejectionLine));
            rejection = "";
        }
    }

    private void add(RuntimeText text) {
        boolean isKept = text.isRejection() ? rejections++ < MAX_TEXTS : others++ < MAX_TEXTS;
        if (isKept) {
            first.add(text);
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
        if (others > MAX_TEXTS) {
            notes.add("The runtime printed " + Quantities.count(others - MAX_TEXTS, "more warning") + " about traces.");
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
