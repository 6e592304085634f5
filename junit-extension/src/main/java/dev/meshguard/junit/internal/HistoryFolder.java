package dev.meshguard.junit.internal;

import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.tracker.history.AllocationHistory;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where the histories of all checks of a run go, if somebody wants them.
 *
 * <p>A file that is there is never touched: what runs twice, in this JVM or in another one that writes to the same folder, gets a number
 * behind its name.
 *
 * <p>Safe for use by several threads.
 */
public final class HistoryFolder {

    /** Names the folder. */
    public static final String RECORD = "meshguard.record";

    private static final String SUFFIX = ".jsonl";
    private static final int MAX_NAME_LENGTH = 120;

    private final Path folder;

    private HistoryFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Reads parameters.
     *
     * @param parameters the value of a name
     * @throws IllegalArgumentException if one makes no sense; the message names it
     */
    public static Optional<HistoryFolder> of(Function<String, Optional<String>> parameters) {
        return RunSettings.given(parameters, RECORD)
                .map(value -> new HistoryFolder(RunSettings.given(parameters, RunSettings.OUTPUT)
                        .map(output -> path(RunSettings.OUTPUT, output).resolve(path(RECORD, value)))
                        .orElseGet(() -> path(RECORD, value))));
    }

    private static Path path(String name, String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException noPath) {
            throw RunSettings.rejected(name, value, "It is no path here: " + noPath.getReason() + ".");
        }
    }

    /**
     * Writes a history.
     *
     * @param check whose history it is, {@code KvCacheTest#decode}
     * @return the file
     * @throws IOException if it cannot be written
     */
    public Path keep(String check, AllocationHistory history) throws IOException {
        Files.createDirectories(folder);
        String name = fileName(check);
        int number = 1;
        while (true) {
            Path file = folder.resolve(name + (number == 1 ? "" : "-" + number) + SUFFIX);
            try {
                Files.createFile(file);
                keepAt(file, history);
                return file;
            } catch (FileAlreadyExistsException another) {
                number++;
            }
        }
    }

    /** A file that holds a part of a history would pass for one. */
    private static void keepAt(Path file, AllocationHistory history) throws IOException {
        boolean isKept = false;
        try {
            HistoryJson.write(history, file);
            isKept = true;
        } finally {
            if (!isKept) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** What no file system has in names is left out of them. */
    private static String fileName(String check) {
        String name = check.replaceAll("[^A-Za-z0-9_.#$-]+", "_");
        return name.length() > MAX_NAME_LENGTH ? name.substring(0, MAX_NAME_LENGTH) : name;
    }
}
