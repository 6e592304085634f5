package dev.meshguard.junit.internal;

import dev.meshguard.verdict.expectation.Expectation;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first frame of an error that no call of the tests explains: the place that a reader opens.
 *
 * <p>Reports and IDEs take the place of a failure from its stack.
 */
final class PlaceToOpen {

    private static final int UNKNOWN_LINE = -1;

    /** A class without its package, and a method, if an annotation is on one: {@code @ExpectBuffers on KvCacheTest#decode}. */
    private static final Pattern DECLARATION = Pattern.compile("(?:.* )?([^ #.]+)(?:[#.](\\S+))?");

    private PlaceToOpen() {}

    /** Returns the line of the file that contains an entry, or the class or method whose annotation it is. */
    static StackTraceElement of(Expectation entry) {
        return entry.source()
                .map(line -> inFile("expected-buffers", line.file(), line.line()))
                .orElseGet(() -> declaration(entry.location().orElseThrow()));
    }

    /**
     * Returns a line of a file that is no source code.
     *
     * @param kind the kind of the file; it stands where other frames have a class
     */
    static StackTraceElement inFile(String kind, String file, int line) {
        return new StackTraceElement(kind, "file", file, line);
    }

    /** Returns a file as a whole, or a folder. */
    static StackTraceElement file(String kind, String file) {
        return inFile(kind, file, UNKNOWN_LINE);
    }

    private static StackTraceElement declaration(String location) {
        Matcher declaration = DECLARATION.matcher(location);
        if (!declaration.matches()) {
            throw new IllegalArgumentException("There is no class in the location of an entry: " + location);
        }
        String type = declaration.group(1);
        String method = declaration.group(2) == null ? "<class>" : declaration.group(2);
        return new StackTraceElement(type, method, type.replaceFirst("\\$.*", "") + ".java", UNKNOWN_LINE);
    }
}
