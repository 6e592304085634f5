package dev.meshguard.samples.corpus.oldtools;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of the server about one buffer or process; free text is not parsed.
 *
 * @param kind the kind of line
 * @param device the device, or -1
 * @param id the buffer, or the process that ended
 * @param bytes the size, or 0
 * @param pid the process in the line, or -1
 */
public record LogLine(Kind kind, int device, long id, long bytes, long pid) {

    /** The kinds of lines that the old tools know. */
    public enum Kind {
        ALLOCATED,
        ALLOCATED_AGAIN,
        RELEASED,
        FREED,
        UNKNOWN_FREE,
        DEAD_PROCESS,
        DUMP
    }

    private static final Pattern ALLOCATED = Pattern.compile(
            "✓ \\[PID (\\d+)] Allocated (\\d+) bytes of \\w+ on device (\\d+) \\(buffer_id=(\\d+)(, ref_count=\\d+)?\\)");
    private static final Pattern FREED = Pattern.compile(
            "✗ \\[PID (\\d+)] Freed buffer (\\d+) on device (\\d+) \\((\\d+) bytes(?:, (FINAL|ref_count=\\d+ remaining))?\\)");
    private static final Pattern UNKNOWN =
            Pattern.compile("⚠ \\[PID (\\d+)] Deallocation for unknown buffer (\\d+) on device (\\d+) .*");
    private static final Pattern DEAD = Pattern.compile(" +PID (\\d+) is dead, removing its buffers\\.\\.\\.");

    static Optional<LogLine> parse(String line) {
        Matcher allocated = ALLOCATED.matcher(line);
        if (allocated.matches()) {
            return Optional.of(new LogLine(
                    allocated.group(5) == null ? Kind.ALLOCATED : Kind.ALLOCATED_AGAIN,
                    Integer.parseInt(allocated.group(3)),
                    Long.parseLong(allocated.group(4)),
                    Long.parseLong(allocated.group(2)),
                    Long.parseLong(allocated.group(1))));
        }
        Matcher freed = FREED.matcher(line);
        if (freed.matches()) {
            boolean remaining = freed.group(5) != null && freed.group(5).endsWith("remaining");
            return Optional.of(new LogLine(
                    remaining ? Kind.RELEASED : Kind.FREED,
                    Integer.parseInt(freed.group(3)),
                    Long.parseLong(freed.group(2)),
                    Long.parseLong(freed.group(4)),
                    Long.parseLong(freed.group(1))));
        }
        Matcher unknown = UNKNOWN.matcher(line);
        if (unknown.matches()) {
            return Optional.of(new LogLine(
                    Kind.UNKNOWN_FREE,
                    Integer.parseInt(unknown.group(3)),
                    Long.parseLong(unknown.group(2)),
                    0,
                    Long.parseLong(unknown.group(1))));
        }
        Matcher dead = DEAD.matcher(line);
        if (dead.matches()) {
            return Optional.of(new LogLine(Kind.DEAD_PROCESS, -1, -1, 0, Long.parseLong(dead.group(1))));
        }
        return line.contains("REMAINING ALLOCATED BUFFERS")
                ? Optional.of(new LogLine(Kind.DUMP, -1, -1, 0, -1))
                : Optional.empty();
    }

    /** Returns the lines that an old tool reads. */
    public static List<LogLine> parse(List<String> lines) {
        return lines.stream().map(LogLine::parse).flatMap(Optional::stream).toList();
    }

    /** Returns the lines before the last dump, or all if there is none. */
    static List<LogLine> beforeTheDump(List<LogLine> lines) {
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (lines.get(i).kind() == Kind.DUMP) {
                return lines.subList(0, i);
            }
        }
        return lines;
    }
}
