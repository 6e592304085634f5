package dev.meshguard.report.findings;

import dev.meshguard.report.findings.FindingsJson.Count;
import dev.meshguard.report.internal.JsonObject;
import dev.meshguard.report.internal.UnreadableLineException;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.expectation.Expectation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The lines in a file of findings that are about the whole run of its JVM.
 *
 * @param file the file
 * @param entries the use of entries of expected buffers, in the order of the lines
 * @param found the leaks that a baseline may have, with the tests that had them
 * @param completed the tests, classes and runs that completed, and whose check was not inconclusive; of several with one name,
 *     for example overloads, each
 * @param isComplete whether the JVM reached its end; it did not if it was killed or could not write
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record JvmFindings(
        Path file, List<UsedEntry> entries, Baseline found, Set<String> completed, boolean isComplete) {

    /**
     * The use of an entry.
     *
     * @param entry the entry with its location
     * @param use what the JVM knows about it
     */
    public record UsedEntry(Expectation entry, EntryUse use) {}

    /** Creates findings with their own copies of the collections. */
    public JvmFindings {
        entries = List.copyOf(entries);
        completed = Set.copyOf(completed);
    }

    /**
     * Reads a file, without a truncated last line, which a killed JVM leaves.
     *
     * @param run the name of the run
     * @return the findings; empty if the file is that of another run. A file without a whole line may be of any run
     * @throws IOException if the file cannot be read; the message names the line
     */
    public static Optional<JvmFindings> read(Path file, String run) throws IOException {
        // A killed JVM may have written half a character.
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        List<UsedEntry> entries = new ArrayList<>();
        Baseline found = Baseline.empty();
        Set<String> completed = new HashSet<>();
        Set<String> incomplete = new HashSet<>();
        boolean isComplete = false;
        boolean isCut = false;
        Count count = new Count(0, 0, 0);
        int number = 0;
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            number++;
            try {
                JsonObject fields = JsonObject.ofLine(line);
                if (!FindingsJson.RUN.read(fields).equals(run)) {
                    return Optional.empty();
                }
                String kind = kindOf(fields);
                if (isComplete && !kind.equals("run")) {
                    throw new UnreadableLineException("it comes after the end");
                }
                switch (kind) {
                    case "run" -> {
                        isCut |= number > 1 && !isComplete;
                        isComplete = false;
                        count = new Count(0, 0, 0);
                    }
                    case "finding" -> count = new Count(count.checks(), count.findings() + 1, count.lines());
                    case "check" -> {
                        count = new Count(count.checks() + 1, count.findings(), count.lines());
                        (isConclusive(fields) ? completed : incomplete).add(FindingsJson.TEST.read(fields));
                    }
                    case "incomplete" -> incomplete.add(FindingsJson.TEST.read(fields));
                    case "entry" -> entries.add(new UsedEntry(FindingsJson.ENTRY.read(fields), EntryUse.EXPECTED));
                    case "matched" -> entries.add(new UsedEntry(FindingsJson.ENTRY.read(fields), EntryUse.MATCHED));
                    case "excused" -> entries.add(new UsedEntry(FindingsJson.ENTRY.read(fields), EntryUse.EXCUSED));
                    case "found" -> found = found.and(found(fields, file));
                    case "end" -> {
                        isComplete = true;
                        verify(count, FindingsJson.COUNT.read(fields));
                    }
                    default ->
                        throw new UnreadableLineException("kind " + Quantities.quoted(kind) + " is not known here");
                }
                count = new Count(count.checks(), count.findings(), count.lines() + 1);
            } catch (UnreadableLineException | IllegalArgumentException e) {
                throw new IOException(
                        String.format(
                                Locale.ROOT,
                                "Cannot read line %d of %s, because %s. Run the tests again that wrote it, with this version of"
                                        + " MeshGuard",
                                number,
                                file,
                                e.getMessage()),
                        e);
            }
        }
        completed.removeAll(incomplete);
        return Optional.of(new JvmFindings(file, entries, found, completed, isComplete && !isCut));
    }

    private static void verify(Count read, Count written) throws UnreadableLineException {
        if (!read.equals(written)) {
            throw new UnreadableLineException(
                    "it counts " + written + ", and before it are " + read + ": lines were removed or added");
        }
    }

    private static boolean isConclusive(JsonObject check) throws UnreadableLineException {
        return CheckRecord.isConclusive(FindingsJson.COMPLETED.read(check), FindingsJson.OUTCOME.read(check));
    }

    private static Baseline found(JsonObject fields, Path file) throws UnreadableLineException {
        Baseline leak = Baseline.parse(FindingsJson.LEAK.read(fields), file.toString());
        return FindingsJson.TEST.optional().read(fields).map(leak::foundBy).orElse(leak);
    }

    private static String kindOf(JsonObject line) throws UnreadableLineException {
        int version = FindingsJson.SCHEMA.read(line);
        if (version != FindingsJson.VERSION) {
            throw new UnreadableLineException(
                    "its \"schema\" is " + version + ", and only " + FindingsJson.VERSION + " can be read here");
        }
        return FindingsJson.KIND.read(line);
    }
}
