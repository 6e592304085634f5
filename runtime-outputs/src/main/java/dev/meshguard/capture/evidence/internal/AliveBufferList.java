package dev.meshguard.capture.evidence.internal;

import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The error of the trace allocation tracker, of many lines: the buffers that a replay will corrupt, their stacks, and the
 * variables that hold them.
 *
 * <p>It has no end of its own. It is over at its last known line, or at a line that is neither indented nor of a known form.
 */
final class AliveBufferList {

    private static final Pattern BEGINNING =
            Pattern.compile("Found (\\d{1,9}) device buffer\\(s\\) still alive before trace replay");
    private static final Pattern BUFFER = Pattern.compile("Buffer (\\d{1,18})(?: \\[op: (.{1,200}?)\\])?");
    private static final Pattern REFERRERS =
            Pattern.compile("Buffer (\\d{1,18}): found in \\d{1,9} Python reference\\(s\\)");
    private static final Pattern FRAME = Pattern.compile("File \"([^\"]{1,500})\", line (\\d{1,9}), in (.{1,200})");
    private static final Pattern OTHER = Pattern.compile("allocated at:|--- Python referrer analysis ---"
            + "|\\d+ buffer\\(s\\) not found in any Python stack frame\\.|\\[(?:scan stats|buffer IDs seen|looking for IDs)\\b.*"
            + "|\\[trace alloc tracker\\].*");
    private static final String LAST = "Use corruptible_allocation_scope()";
    /** The text that pytest prints before each line of an exception. */
    private static final Pattern PYTEST = Pattern.compile("^E {3,}");

    private static final int MAX_LINES = 100_000;
    private static final int MAX_BUFFERS = 1_000;
    private static final int MAX_LISTED = 5;
    private static final int MAX_PARTS = 3;
    private static final int MAX_LENGTH = 300;

    private record Entry(Optional<String> operation, List<String> frames, List<String> references) {

        String description(long id) {
            return "buffer " + id
                    + operation.map(name -> " of " + PrintableText.line(name)).orElse("")
                    + text(", allocated at ", frames)
                    + text(", referenced by ", references);
        }

        private static String text(String before, List<String> parts) {
            return parts.isEmpty()
                    ? ""
                    : parts.stream()
                            .limit(MAX_PARTS)
                            .map(PrintableText::line)
                            .collect(Collectors.joining(", ", before, parts.size() > MAX_PARTS ? ", …" : ""));
        }
    }

    private final long line;
    private final long announced;
    private final boolean isOfPytest;
    private final Map<Long, Entry> entries = new LinkedHashMap<>();
    private Optional<Entry> current = Optional.empty();
    private boolean isInReferrers;
    private int lines;
    private boolean isOver;

    private AliveBufferList(long line, long announced, boolean isOfPytest) {
        this.line = line;
        this.announced = announced;
        this.isOfPytest = isOfPytest;
    }

    /** Returns the list that begins with a line; empty if none does. */
    static Optional<AliveBufferList> beginningWith(String text, long line) {
        Matcher beginning = BEGINNING.matcher(text);
        return beginning.find()
                ? Optional.of(new AliveBufferList(
                        line,
                        Long.parseLong(beginning.group(1)),
                        PYTEST.matcher(text).find()))
                : Optional.empty();
    }

    /** Reads a further line; returns whether it belongs to the list. */
    boolean read(String text) {
        if (isOver || ++lines > MAX_LINES) {
            return false;
        }
        String content = PYTEST.matcher(text).replaceFirst("").strip();
        if (content.startsWith(LAST)) {
            isOver = true;
            return true;
        }
        boolean isKnown = content.isEmpty()
                || isBuffer(content)
                || isFrame(content)
                || OTHER.matcher(content).matches()
                || isReference(content);
        isInReferrers |= content.startsWith("---");
        boolean isPart = isOfPytest && text.startsWith("E");
        return isKnown || isPart || text.startsWith(" ");
    }

    private boolean isBuffer(String content) {
        Matcher referrers = REFERRERS.matcher(content);
        if (referrers.matches()) {
            current = Optional.ofNullable(entries.get(Long.parseLong(referrers.group(1))));
            return true;
        }
        Matcher buffer = BUFFER.matcher(content);
        if (!buffer.matches()) {
            return false;
        }
        Entry entry = new Entry(Optional.ofNullable(buffer.group(2)), new ArrayList<>(), new ArrayList<>());
        current = Optional.of(entry);
        if (entries.size() < MAX_BUFFERS) {
            entries.putIfAbsent(Long.parseLong(buffer.group(1)), entry);
        }
        return true;
    }

    private boolean isFrame(String content) {
        Matcher frame = FRAME.matcher(content);
        if (!frame.lookingAt()) {
            return false;
        }
        current.filter(entry -> entry.frames.size() <= MAX_PARTS)
                .ifPresent(entry -> entry.frames.add(frame.group(1) + ":" + frame.group(2) + " in "
                        + frame.group(3).strip()));
        return true;
    }

    private boolean isReference(String content) {
        if (!isInReferrers || !content.startsWith("'")) {
            return false;
        }
        current.filter(entry -> entry.references.size() <= MAX_PARTS)
                .ifPresent(entry -> entry.references.add(
                        content.length() <= MAX_LENGTH ? content : content.substring(0, MAX_LENGTH) + "…"));
        return true;
    }

    RuntimeText text() {
        String listed = entries.isEmpty()
                ? ""
                : entries.entrySet().stream()
                        .limit(MAX_LISTED)
                        .map(entry -> entry.getValue().description(entry.getKey()))
                        .collect(Collectors.joining("; ", ": ", ""));
        return new RuntimeText(
                line,
                "Before a replay of a trace, the runtime listed " + Quantities.count(announced, "buffer")
                        + " that it would corrupt",
                listed + (entries.size() > MAX_LISTED ? "; and " + (entries.size() - MAX_LISTED) + " more." : "."),
                Optional.empty());
    }
}
