package dev.meshguard.verdict.expectation;

import dev.meshguard.file.EditedText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The buffers that may survive a check: {@link Expectation} entries from code, annotations or a file, in the order in which they are
 * tried.
 *
 * <p>A survivor counts for the first entry that matches it and has room.
 *
 * <h2>As a file</h2>
 *
 * <p>One entry per line, its clauses in any order. A missing clause matches everything; only the reason is required:
 *
 * <pre>
 * # weights of the model
 * DRAM devices 0-3,5 size 1048576 count exactly 8 origin "KvCacheTest.weights" until 2026-12-31 because "shared by all tests"
 * </pre>
 * <table>
 *   <caption>Clauses</caption>
 *   <tr><td>{@code DRAM}, {@code L1}, …</td><td>the memory</td></tr>
 *   <tr><td>{@code device 3}, {@code devices 0-3,5}</td><td>the devices</td></tr>
 *   <tr><td>{@code size 4096}</td><td>bytes of each buffer</td></tr>
 *   <tr><td>{@code count exactly 8}, {@code atMost 8}, {@code atLeast 2}, {@code between 2-8}</td><td>how many, over all devices</td></tr>
 *   <tr><td>{@code owner "dispatch"}</td><td>a part of the owner's name</td></tr>
 *   <tr><td>{@code label "weights"}</td><td>the exact label</td></tr>
 *   <tr><td>{@code origin "KvCacheTest.weights"}</td><td>the code, see {@link OriginPattern}</td></tr>
 *   <tr><td>{@code until 2026-12-31}</td><td>the last day</td></tr>
 *   <tr><td>{@code because "…"}</td><td>the reason</td></tr>
 * </table>
 *
 * <p>A text with blanks needs quotes; in them {@code \"}, {@code \\}, {@code \n}, {@code \r}, {@code \t} and
 * {@code \}{@code u00e9} are escapes. A {@code #} at the beginning of a word starts a comment. Files are in UTF-8.
 *
 * @param entries the entries, in the order in which they are tried
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ExpectedBuffers(List<Expectation> entries) {

    /** Creates an allowlist with its own copy of the entries. */
    public ExpectedBuffers {
        entries = List.copyOf(entries);
    }

    /** Returns the allowlist that allows nothing. */
    public static ExpectedBuffers none() {
        return new ExpectedBuffers(List.of());
    }

    /** Returns an allowlist of the given entries. */
    public static ExpectedBuffers of(Expectation... entries) {
        return new ExpectedBuffers(Arrays.asList(entries));
    }

    /**
     * Parses the text of a file; each entry holds its line.
     *
     * @param text the lines
     * @param name the name of the file in messages and failures
     * @throws IllegalArgumentException if a line is no entry; the message names file, line, column and the possible
     *     tokens
     */
    public static ExpectedBuffers parse(String text, String name) {
        List<Expectation> entries = new ArrayList<>();
        int number = 0;
        for (String line : EditedText.withoutMark(text).lines().toList()) {
            number++;
            EntryParser.parse(line, new SourceLine(name, number)).ifPresent(entries::add);
        }
        return new ExpectedBuffers(entries);
    }

    /**
     * Reads a file; failures name it by its path.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if a line is no entry, or the file is not in UTF-8
     */
    public static ExpectedBuffers load(Path file) throws IOException {
        return parse(EditedText.read(file), file.toString());
    }

    /** Returns this allowlist followed by more entries. */
    public ExpectedBuffers and(Expectation... more) {
        return and(of(more));
    }

    /** Returns this allowlist followed by another one. */
    public ExpectedBuffers and(ExpectedBuffers other) {
        if (other.entries.isEmpty()) {
            return this;
        }
        List<Expectation> all = new ArrayList<>(entries);
        all.addAll(other.entries);
        return new ExpectedBuffers(all);
    }

    /** Returns this allowlist with all entries {@linkplain Expectation#forSeveralChecks() for several checks}. */
    public ExpectedBuffers forSeveralChecks() {
        return new ExpectedBuffers(
                entries.stream().map(Expectation::forSeveralChecks).toList());
    }

    /** Returns the allowlist as {@link #parse} reads it, one line per entry. */
    public String toText() {
        return entries.stream().map(entry -> entry.toText() + '\n').collect(Collectors.joining());
    }
}
