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
    private static final Pattern BUFFER = Pattern.compile(
            "Buffer (\\d{1,18})" + "(?: \\[op: (.{1,200}?)\\]|(: found in \\d{1,9} Python reference\\(s\\)))?");
    private static final Pattern FRAME = Pattern.compile("File \"([^\"]{1,500})\", line (\\d{1,9}), in (.{1,200})");
    private static final Pattern OTHER = Pattern.compile("|allocated at:|--- Python referrer analysis ---"
            + "|\\d+ buffer\\(s\\) not found in any Python stack frame\\.|\\[(?:scan stats|buffer IDs seen|looking for IDs)\\b.*"
            + "|\\[trace alloc tracker\\].*");
    private static final String LAST = "Use corruptible_allocation_scope()";
    /** The text that pytest prints before each line of an exception. */
    private static final Pattern PYTEST = Pattern.compile("^E(?: {3,}|$)");

    private static final int MAX_LINES = 100_000;
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
    private final Map<Long, Entry> entries = new LinkedHashMap<>();
    private Optional<Entry> current = Optional.empty();
    private boolean isReferred;
    private int lines;
    private boolean isOver;

    private AliveBufferList(long line, long announced) {
        this.line = line;
        this.announced = announced;
    }

    /** Returns the list that begins with a line; empty if none does. */
    static Optional<AliveBufferList> beginningWith(String text, long line) {
        Matcher beginning = BEGINNING.matcher(text);
        return beginning.find()
                ? Optional.of(new AliveBufferList(line, Long.parseLong(beginning.group(1))))
                : Optional.empty();
    }

    /** Reads a further line; returns whether it belongs to the list. */
    boolean read(String text) {
        if (isOver || ++lines > MAX_LINES) {
            return false;
        }
        String content = PYTEST.matcher(text).replaceFirst(" ");
        boolean isIndented = content.startsWith(" ");
        content = content.strip();
        isOver = content.startsWith(LAST);
        return isOver || isEntry(content) || OTHER.matcher(content).matches() || isIndented;
    }

    private boolean isEntry(String content) {
        Matcher buffer = BUFFER.matcher(content);
        if (buffer.matches()) {
            isReferred = buffer.group(3) != null;
            current = Optional.of(entries.computeIfAbsent(
                    Long.parseLong(buffer.group(1)),
                    first -> new Entry(Optional.ofNullable(buffer.group(2)), new ArrayList<>(), new ArrayList<>())));
            return true;
        }
        Matcher frame = FRAME.matcher(content);
        if (frame.lookingAt()) {
            String name = frame.group(3).strip();
            current.ifPresent(entry -> add(frame.group(1) + ":" + frame.group(2) + " in " + name, entry.frames));
            return true;
        }
        boolean isReference = isReferred && content.startsWith("'");
        if (isReference) {
            String reference = content.length() <= MAX_LENGTH ? content : content.substring(0, MAX_LENGTH) + "…";
            current.ifPresent(entry -> add(reference, entry.references));
        }
        return isReference;
    }

    private static void add(String part, List<String> parts) {
        if (parts.size() <= MAX_PARTS) {
            parts.add(part);
        }
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
