package dev.meshguard.junit.internal.run;

import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.internal.RunSettings;
import dev.meshguard.report.findings.CheckRecord;
import dev.meshguard.report.findings.FindingsJson;
import dev.meshguard.report.findings.RunIdentity;
import dev.meshguard.text.Quantities;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Writes the findings of all checks of one JVM to the file {@code findings-<run>-<jvm>.jsonl} while the tests run.
 *
 * <p>Each check is written when it ends, so the file of a killed JVM lacks at most its last lines. No other JVM writes to
 * the file. Nothing is written after the first error, which is reported; no test fails for it. A reader leaves out a last line
 * without its end.
 *
 * <p>Safe for use by several threads.
 */
public final class FindingsFile {

    private static final String PREFIX = "findings-";
    private static final String EXTENSION = ".jsonl";
    private static final int MAX_NAME_LENGTH = 80;

    private final RunSettings settings;
    private final Path folder;
    private final Instant began;
    private @Nullable FindingsJson lines;
    private @Nullable IOException problem;
    private long checks;
    private long findings;
    private long written;
    private long lost;

    private FindingsFile(RunSettings settings, Path folder, Instant began) {
        this.settings = settings;
        this.folder = folder;
        this.began = began;
    }

    /**
     * Returns the file of this JVM, if findings are written; nothing is written before {@link #begin}.
     *
     * @param began when the JVM began its tests
     */
    public static Optional<FindingsFile> of(RunSettings settings, Instant began) {
        return settings.findings().map(folder -> new FindingsFile(settings, folder, began));
    }

    /** Returns the files whose names begin with the name of a run; they may be of another run with a longer name. */
    public static List<Path> ofRun(String run, Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.startsWith(PREFIX + nameOf(run) + "-") && name.endsWith(EXTENSION);
                    })
                    .sorted()
                    .toList();
        }
    }

    /** Returns a name of this JVM that no JVM of another machine has: files of several machines are collected in one folder. */
    private String process() {
        return settings.ci().machine().map(name -> nameOf(name) + "-").orElse("")
                + ProcessHandle.current().pid() + "-" + Long.toString(began.toEpochMilli(), Character.MAX_RADIX);
    }

    /** Writes the first line, so that a JVM that is killed in its first test leaves a file; returns the error if it cannot. */
    synchronized Optional<IOException> begin() {
        append(json -> "");
        return Optional.ofNullable(problem);
    }

    /** Adds a check. */
    public synchronized void add(CheckRecord check) {
        if (append(json -> json.check(check))) {
            checks++;
            findings += check.findings().size();
        } else {
            lost++;
        }
    }

    /** Writes what this JVM knows about the whole run; returns what a reader of the report has to know, as whole sentences. */
    synchronized List<String> end(RunTally entries) {
        append(entries::lines);
        append(json -> json.end(checks, findings, written));
        return Stream.concat(unknownNames().stream(), Optional.ofNullable(problem).map(this::description).stream())
                .toList();
    }

    private String description(IOException error) {
        String missing = lost == 0 ? "their last line" : Quantities.count(lost, "check");
        return ConfigurationKey.FINDINGS.unwritten("The findings lack " + missing + ": a line", folder, error);
    }

    /** Appends lines unless an earlier line could not be written; returns whether it has. */
    private boolean append(Function<FindingsJson, String> text) {
        if (problem != null) {
            return false;
        }
        try {
            FindingsJson json = lines == null ? create() : lines;
            append(text.apply(json), fileOf(json));
            return true;
        } catch (IOException notWritten) {
            problem = notWritten;
            warn(
                    "The findings are not written to the folder {} of {}, from here on: {}",
                    folder,
                    ConfigurationKey.FINDINGS.key(),
                    notWritten.toString());
            return false;
        }
    }

    /** Creates the file under a name that no other JVM, and no earlier execution of this one, uses. */
    private FindingsJson create() throws IOException {
        Files.createDirectories(folder);
        for (int part = 1; ; part++) {
            String jvm = part == 1 ? process() : process() + "-" + part;
            FindingsJson json = new FindingsJson(new RunIdentity(
                    settings.runName().orElse(jvm),
                    jvm,
                    began,
                    settings.ci().commit(),
                    settings.ci().machine()));
            try {
                Files.createFile(fileOf(json));
                lines = json;
                append(json.begin(), fileOf(json));
                unknownNames().ifPresent(text -> warn("{}", text));
                return json;
            } catch (FileAlreadyExistsException ofAnother) {
                // The next number may be free.
            }
        }
    }

    private Path fileOf(FindingsJson json) {
        String run = settings.runName().map(name -> nameOf(name) + "-").orElse("");
        return folder.resolve(PREFIX + run + json.identity().jvm() + EXTENSION);
    }

    /** Returns a name without characters that some file system rejects. */
    private static String nameOf(String text) {
        String name = text.replaceAll("[^A-Za-z0-9_.-]+", "_");
        return name.length() > MAX_NAME_LENGTH ? name.substring(0, MAX_NAME_LENGTH) : name;
    }

    /** Returns the sentence about the names that no variable gives. */
    private Optional<String> unknownNames() {
        List<String> names = Stream.of(
                        settings.runName().isEmpty() ? "run" : "",
                        settings.ci().commit().isEmpty() ? "commit" : "",
                        settings.ci().machine().isEmpty() ? "machine" : "")
                .filter(name -> !name.isEmpty())
                .toList();
        String without = settings.runName().isPresent()
                ? ""
                : " Until it has a name, each JVM is a run of its own. If you name it with "
                        + ConfigurationKey.RUN.key()
                        + ", call RunVerifier after the tests: no JVM judges the run then (docs/baseline.md).";
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of("The findings lack the " + String.join(" and the ", names)
                        + ", for which no variable of a CI is set." + without);
    }

    /** A logger is made only to warn: SLF4J prints a warning of its own if it has no provider. */
    private static void warn(String format, Object... arguments) {
        LoggerFactory.getLogger(FindingsFile.class).warn(format, arguments);
    }

    private void append(String text, Path file) throws IOException {
        Files.write(file, text.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
        written += text.lines().count();
    }
}
