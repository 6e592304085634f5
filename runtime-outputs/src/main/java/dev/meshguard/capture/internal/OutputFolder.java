package dev.meshguard.capture.internal;

import dev.meshguard.capture.OutputFormat;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A folder of files that the runtime wrote, as {@code generated/ttnn/reports}. */
public final class OutputFolder {

    private static final int DEPTH = 5;

    /** Files beside a capture, some of which begin like a report. */
    private static final Pattern COMPANION =
            Pattern.compile(".+\\.(python_io|comparison_records|tensor_lifetime)\\.json(\\.gz)?");

    /** The names that ttnn gives captures and databases. */
    private static final Pattern NAME = Pattern.compile(".+\\.(json|sqlite)(\\.gz)?");

    private OutputFolder() {}

    /**
     * Returns the files of a known format, and those that are called like one and are damaged, by path.
     *
     * @throws UnreadableOutputException if there is none
     */
    public static List<Path> outputsIn(Path folder) throws IOException {
        List<Path> outputs = new ArrayList<>();
        for (Path file : filesIn(folder)) {
            try (InputStream input = new BufferedInputStream(Files.newInputStream(file))) {
                boolean isNamedSo = NAME.matcher(file.getFileName().toString()).matches();
                if (OutputFormat.of(input).isPresent() || (isNamedSo && !GraphParser.isJson(input))) {
                    outputs.add(file);
                }
            }
        }
        if (outputs.isEmpty()) {
            throw new UnreadableOutputException(String.format(
                    Locale.ROOT,
                    "it is a folder without a graph capture or a database, also %d folders deep. Logs are read"
                            + " only by name: %s/*.log",
                    DEPTH - 1,
                    folder));
        }
        return outputs;
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> below = Files.walk(folder, DEPTH)) {
            return below.filter(Files::isRegularFile)
                    .filter(file ->
                            !COMPANION.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
