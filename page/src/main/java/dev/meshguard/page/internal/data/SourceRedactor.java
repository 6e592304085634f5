package dev.meshguard.page.internal.data;

import dev.meshguard.event.Origin;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Controls whether a page shows source locations: all, or no file, no line and no stack frame.
 *
 * <p>Other rules write sentences without regard to this setting, so text that looks like a source location is removed
 * from them afterwards.
 */
final class SourceRedactor {

    private static final String OMITTED = "(source omitted)";

    private static final int MAX_FRAMES = 60;

    /** The format of a stack trace frame. Begins at the start of a word, so that long texts are scanned once. */
    private static final Pattern FRAME = Pattern.compile(
            "(?<![^\\s()\"])[^\\s()\"]++\\((?:[^()\\s]*\\.\\w+(?::-?\\d+)?|Native Method|Unknown Source)\\)");

    private static final Pattern WORD = Pattern.compile("[^\\s()\\[\\]\",;]++");

    private static final Pattern FILE = Pattern.compile(".*\\.[A-Za-z]\\w{0,7}:\\d+[.:]?"
            + "|.*\\.(?:java|kt|kts|groovy|scala|clj|py|c|cc|cpp|cxx|h|hpp|rs|go)[.:]?");

    /** A line that consists of one frame. */
    private static final Pattern LOCATION = Pattern.compile("\\s*at [^\\s(]+\\(.*");

    private final boolean hidesSources;

    SourceRedactor(boolean hidesSources) {
        this.hidesSources = hidesSources;
    }

    boolean hidesSources() {
        return hidesSources;
    }

    /** Returns the line of the user's code, if it is known and shown. */
    Optional<String> site(Optional<Origin> origin) {
        return hidesSources ? Optional.empty() : origin.flatMap(Origin::site).map(Object::toString);
    }

    /** Returns the shown frames, innermost first. */
    List<String> frames(Optional<Origin> origin) {
        return hidesSources || origin.isEmpty()
                ? List.of()
                : origin.get().frames().stream()
                        .limit(MAX_FRAMES)
                        .map(Object::toString)
                        .toList();
    }

    /** Returns a text as it is shown; lines that contain only a location are omitted. */
    String description(String text) {
        return hidesSources
                ? text.lines()
                        .filter(line -> !LOCATION.matcher(line).matches())
                        .map(SourceRedactor::withoutCallSites)
                        .collect(Collectors.joining("\n"))
                : text;
    }

    private static String withoutCallSites(String line) {
        String withoutFrames = FRAME.matcher(line).replaceAll(OMITTED);
        return WORD.matcher(withoutFrames)
                .replaceAll(word ->
                        FILE.matcher(word.group()).matches() ? OMITTED : Matcher.quoteReplacement(word.group()));
    }
}
