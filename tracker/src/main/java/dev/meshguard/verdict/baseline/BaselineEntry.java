package dev.meshguard.verdict.baseline;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.InvariantText;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * A known leak: its fingerprint, the most buffers of it that one check may find, and the tests that had it.
 *
 * @param leak its fingerprint, of which only the first twelve digits are kept
 * @param count the most buffers of it that one check may find
 * @param tests the tests that had it, by names that are the same in other runs; empty if unknown
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BaselineEntry(Fingerprint leak, long count, SortedSet<String> tests) {

    static final int DIGITS = 12;

    private static final String INDENT = "   ";

    private static final Pattern LINE = Pattern.compile("([0-9a-f]{12}) (\\d{1,18}) (\\w+) (\\d{1,19}) (\\S.*)");

    /**
     * Creates an entry with its own copy of the tests.
     *
     * @throws IllegalArgumentException if the count is not positive
     */
    public BaselineEntry {
        if (count < 1) {
            throw new IllegalArgumentException(
                    InvariantText.of("A known leak has at least one buffer: %d were given.", count));
        }
        leak = new Fingerprint(leak.abbreviated(DIGITS), leak.type(), leak.sizeClass(), leak.callSite());
        tests = Collections.unmodifiableSortedSet(new TreeSet<>(tests));
    }

    /** Returns the entry of so many buffers of a leak. */
    public static BaselineEntry of(Fingerprint leak, long count) {
        return new BaselineEntry(leak, count, new TreeSet<>());
    }

    /** Returns the first twelve digits of the fingerprint. */
    public String fingerprint() {
        return leak.digest();
    }

    /**
     * Parses a line.
     *
     * @throws IllegalArgumentException if it is no entry
     */
    static BaselineEntry parse(String line) {
        Matcher parts = LINE.matcher(line);
        try {
            if (parts.matches()) {
                BufferType type = BufferType.valueOf(parts.group(3));
                long sizeClass = Long.parseLong(parts.group(4));
                return of(
                        new Fingerprint(parts.group(1), type, sizeClass, parts.group(5)),
                        Long.parseLong(parts.group(2)));
            }
        } catch (IllegalArgumentException noEntry) {
            throw rejected(line, noEntry);
        }
        throw rejected(line, null);
    }

    private static IllegalArgumentException rejected(String line, @Nullable IllegalArgumentException why) {
        return new IllegalArgumentException(
                InvariantText.of(
                        "a known leak is a fingerprint of %d digits, a count of at least 1, a type, a size class and a place, with one"
                                + " blank between them: \"%s\" was found. Leave the file to -Dmeshguard.baseline.update=accept.",
                        DIGITS, line),
                why);
    }

    /** Returns this entry with another count. */
    public BaselineEntry withCount(long newCount) {
        return new BaselineEntry(leak, newCount, tests);
    }

    /** Returns this entry with more tests. */
    BaselineEntry foundBy(Collection<String> more) {
        SortedSet<String> all = new TreeSet<>(tests);
        all.addAll(more);
        return new BaselineEntry(leak, count, all);
    }

    /** Returns whether a line is an entry, however it is indented; another indented line is a test. */
    static boolean isEntry(String line) {
        return LINE.matcher(line.strip()).matches();
    }

    /** Returns the lines of the file, each ended by a line break: the entry, and then each test. */
    String toText() {
        return this + "\n" + tests.stream().map(test -> INDENT + test + "\n").collect(Collectors.joining());
    }

    /** Returns the line without the tests: {@code 7f3a9c01d2e4 8 DRAM 1048576 KvCacheTest.weights}. */
    @Override
    public String toString() {
        return InvariantText.of("%s %d %s %d %s", fingerprint(), count, leak.type(), leak.sizeClass(), leak.callSite());
    }
}
