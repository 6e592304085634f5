package dev.meshguard.verdict.expectation;

import dev.meshguard.event.Origin;
import dev.meshguard.text.FrameName;
import dev.meshguard.text.InvariantText;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A pattern for the code that allocates the buffers of an expectation: a class, a method or a package.
 *
 * <p>A frame of an origin is a sequence of names: the parts of its package, its class with the enclosing classes, and
 * its method. So {@code dev.example.Model$Layer.load} is {@code dev}, {@code example}, {@code Model}, {@code Layer},
 * {@code load}. A pattern is also a sequence of names, separated by points or dollar signs. It matches where its names
 * follow one another in that sequence:
 * <ul>
 *   <li>{@code KvCacheTest.weights}: the method {@code weights} of any class {@code KvCacheTest}, lambdas in it too;
 *   <li>{@code KvCacheTest}: every method of that class and of the classes nested in it;
 *   <li>{@code dev.example.KvCacheTest.weights}: that of one package only;
 *   <li>{@code dev.example.model.*}: everything in that package and those below it.
 * </ul>
 *
 * <p>Only whole names match, with exact case: {@code Cache.weights} does not match {@code KvCache.weights}. Without a
 * star the last name has to be that of a class or of its method, and one of the names that of a class. A method alone
 * or a package alone therefore matches nothing. An origin matches if any of its frames does.
 *
 * @param text the pattern as it was written
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record OriginPattern(String text) {

    private static final Pattern SEPARATOR = Pattern.compile("[.$]");
    private static final String NAME = "[^.$*#():;/\\[\\]\"]+";
    private static final Pattern NAMES = Pattern.compile(NAME + "(?:[.$]" + NAME + ")*(?:[.$]\\*)?");
    private static final String REST = "*";

    /**
     * Creates a pattern.
     *
     * @throws IllegalArgumentException if the text is blank, or no name of a class, method or package
     */
    public OriginPattern {
        ExpectationChecks.rejectBlank("origin", text);
        if (!NAMES.matcher(text).matches() || names(text).stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException(InvariantText.of(
                    "An expected buffer's origin is a class, a method or a package, for example KvCacheTest, KvCacheTest.weights or"
                            + " dev.example.model.*: \"%s\" was given.",
                    text));
        }
    }

    /**
     * Returns the narrowest pattern that matches a frame, {@code KvCacheTest.weights}; empty if a pattern cannot hold
     * its names.
     */
    public static Optional<OriginPattern> of(StackTraceElement frame) {
        FrameName name = FrameName.of(frame);
        try {
            return Optional.of(new OriginPattern(String.join("$", name.classes()) + '.' + name.plainMethod()));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }

    /** Returns whether any frame of an origin matches. */
    public boolean fits(Origin origin) {
        return origin.frames().stream().map(FrameName::of).anyMatch(this::fits);
    }

    private boolean fits(FrameName frame) {
        List<String> wanted = names(text);
        boolean withRest = wanted.get(wanted.size() - 1).equals(REST);
        if (withRest) {
            wanted = wanted.subList(0, wanted.size() - 1);
        }
        List<String> found = frame.segments();
        int lastClass = found.size() - 2;
        int firstClass = lastClass - frame.classes().size() + 1;
        for (int start = 0; start <= lastClass && start + wanted.size() <= found.size(); start++) {
            int end = start + wanted.size() - 1;
            boolean endsWell = withRest ? end < found.size() - 1 : end >= firstClass;
            if (endsWell && found.subList(start, end + 1).equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    private static List<String> names(String text) {
        return List.of(SEPARATOR.split(text, -1));
    }

    @Override
    public String toString() {
        return text;
    }
}
