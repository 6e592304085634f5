package dev.meshguard.junit.internal.run;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.report.json.HistoryJson;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the histories of all checks of a run into a folder.
 *
 * <p>An existing file is never changed: a check that runs twice, in this JVM or in another one with the same folder,
 * gets a number after its name.
 *
 * <p>Safe for use by several threads.
 */
public final class HistoryFolder {

    private static final String SUFFIX = ".jsonl";
    private static final int MAX_NAME_LENGTH = 120;

    private final Path folder;

    HistoryFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Writes a history.
     *
     * @param check the name of the check, {@code KvCacheTest#decode}
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

    /** Returns the sentence for an error of writing a history. */
    public String unwritten(Throwable error) {
        return ConfigurationKey.RECORD.unwritten("The history of this check", folder, error);
    }

    /** A file with a part of a history would look complete. */
    private static void keepAt(Path file, AllocationHistory history) throws IOException {
        try {
            HistoryJson.write(history, file);
        } catch (IOException | RuntimeException | Error notWritten) {
            Files.deleteIfExists(file);
            throw notWritten;
        }
    }

    /** Characters that some file system rejects in names are removed. */
    private static String fileName(String check) {
        String name = check.replaceAll("[^A-Za-z0-9_.#$-]+", "_");
        return name.length() > MAX_NAME_LENGTH ? name.substring(0, MAX_NAME_LENGTH) : name;
    }
}
