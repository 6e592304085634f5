package dev.meshguard.junit.internal;

import dev.meshguard.verdict.expectation.Expectation;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Creates the first frame of an error that leads to no line of a test: the entry, file or folder that a reader should open.
 *
 * <p>Reports and IDEs take the place of a failure from its stack.
 */
public final class PlaceToOpen {

    private static final int UNKNOWN_LINE = -1;

    /** A class, and a method if an annotation is on one: {@code @ExpectBuffers on dev.example.KvCacheTest#decode}. */
    private static final Pattern DECLARATION = Pattern.compile("(\\S+ (?:on|in) )([^#]+)(?:#(.+))?");

    private PlaceToOpen() {}

    /** Returns the line of the file that contains an entry, or the class or method whose annotation it is. */
    public static StackTraceElement of(Expectation entry) {
        return entry.source()
                .map(line -> inFile("expected-buffers", line.file(), line.line()))
                .orElseGet(() -> declaration(entry.location().orElseThrow()));
    }

    /**
     * Returns a line of a file that is no source code.
     *
     * @param kind the kind of the file; it stands where other frames have a class
     */
    public static StackTraceElement inFile(String kind, String file, int line) {
        return new StackTraceElement(kind, "file", file, line);
    }

    /** Returns a file as a whole, or a folder. */
    public static StackTraceElement file(String kind, String file) {
        return inFile(kind, file, UNKNOWN_LINE);
    }

    /** Returns the location of an entry as reports name it; only a place to open needs the package. */
    public static String withoutPackage(String location) {
        Matcher declaration = DECLARATION.matcher(location);
        return declaration.matches()
                ? declaration.group(1) + TestNames.withoutPackage(location.substring(declaration.end(1)))
                : location;
    }

    private static StackTraceElement declaration(String location) {
        Matcher declaration = DECLARATION.matcher(location);
        if (!declaration.matches()) {
            throw new IllegalArgumentException("There is no class in the location of an entry: " + location);
        }
        return declaration(declaration.group(2), Optional.ofNullable(declaration.group(3)));
    }

    /** Returns a class, or a method of it. */
    public static StackTraceElement declaration(String type, Optional<String> method) {
        String file = TestNames.withoutPackage(type).replaceFirst("\\$.*", "") + ".java";
        return new StackTraceElement(type, method.orElse("<class>"), file, UNKNOWN_LINE);
    }
}
