package dev.meshguard.junit.internal;

import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.expectation.SourceLine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The record of one JVM of a run, written during the run: a line for each finding, and a last line at its end.
 *
 * <p>Written line by line, because a killed JVM writes nothing at its end; its record lacks the last line.
 */
final class JvmRecordFile {

    private static final String EXTENSION = ".jvm-record";
    private static final String HEADER = "meshguard JVM record 3 of run ";
    private static final String END = "end";
    private static final String SEPARATOR = "\t";
    private static final String NO_LINE = "-";

    /**
     * A record that was read.
     *
     * @param file its file
     * @param isComplete whether its JVM reached its end
     */
    record JvmRecord(Path file, boolean isComplete) {}

    private final Path file;

    private JvmRecordFile(Path file) {
        this.file = file;
    }

    /**
     * Begins a record under a name that no other JVM, and no earlier execution of this one, uses.
     *
     * @param process the name of this JVM, as in the name of its file of findings
     */
    static JvmRecordFile begin(Path folder, String run, String process) throws IOException {
        Files.createDirectories(folder);
        for (int part = 1; ; part++) {
            String jvm = part == 1 ? process : process + "-" + part;
            Path file = folder.resolve("meshguard-" + jvm + EXTENSION);
            try {
                Files.writeString(file, HEADER + run + "\n", StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW);
                return new JvmRecordFile(file);
            } catch (FileAlreadyExistsException ofAnother) {
                // The next number may be free.
            }
        }
    }

    void entries(List<Expectation> entries) throws IOException {
        append("entry", entries);
    }

    void matched(List<Expectation> entries) throws IOException {
        append("matched", entries);
    }

    void excused(List<Expectation> entries) throws IOException {
        append("excused", entries);
    }

    void found(Baseline leaks) throws IOException {
        StringBuilder lines = new StringBuilder();
        leaks.entries()
                .values()
                .forEach(leak -> lines.append("found" + SEPARATOR).append(leak).append('\n'));
        append(lines.toString());
    }

    void end() throws IOException {
        append(END + "\n");
    }

    private void append(String kind, List<Expectation> entries) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (Expectation entry : entries) {
            String line = entry.source()
                    .map(source -> Integer.toString(source.line()))
                    .orElse(NO_LINE);
            String place = entry.source()
                    .map(SourceLine::file)
                    .orElseGet(() -> entry.location().orElseThrow());
            lines.append(String.join(SEPARATOR, kind, line, place, entry.toText()))
                    .append('\n');
        }
        append(lines.toString());
    }

    private void append(String lines) throws IOException {
        if (!lines.isEmpty()) {
            Files.writeString(file, lines, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        }
    }

    /** Reads every record of a run; ignores those of other runs. */
    static List<JvmRecord> read(Path folder, String run, EntryUsage entries) throws IOException {
        List<JvmRecord> records = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return records;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(EXTENSION))
                    .sorted()
                    .toList()) {
                // A killed JVM may have written half a character.
                String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
                List<String> lines = text.lines().toList();
                if (!lines.isEmpty() && lines.get(0).equals(HEADER + run)) {
                    records.add(new JvmRecord(file, read(text, entries)));
                }
            }
        }
        return records;
    }

    /** Returns whether the text is complete; ignores a truncated last line. */
    private static boolean read(String text, EntryUsage entries) {
        int end = text.lastIndexOf('\n') + 1;
        boolean isComplete = false;
        for (String line : text.substring(0, end).lines().skip(1).toList()) {
            String[] parts = line.split(SEPARATOR, 4);
            switch (parts[0]) {
                case "entry" -> entries.expect(List.of(entry(parts)));
                case "matched" -> entries.match(entry(parts));
                case "excused" -> entries.excuse(List.of(entry(parts)));
                case "found" -> entries.find(Baseline.parse(parts[1], "JVM record"));
                case END -> isComplete = true;
                default -> throw new IllegalArgumentException("A JVM record has no line of this kind: " + line);
            }
        }
        return isComplete;
    }

    private static Expectation entry(String... parts) {
        Expectation entry = ExpectedBuffers.parse(parts[3], parts[2]).entries().get(0);
        return parts[1].equals(NO_LINE)
                ? entry.locatedAt(parts[2])
                : entry.writtenAt(new SourceLine(parts[2], Integer.parseInt(parts[1])));
    }
}
