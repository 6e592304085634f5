package dev.meshguard.capture.writing.internal;

import dev.meshguard.capture.writing.internal.WritableHistory.Step;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;

/** Writes a database to a stream: SQLite writes a temporary file, which is copied. */
public final class DatabaseDraft {

    private static final long MAX_ROWS = 50_000_000;

    private DatabaseDraft() {}

    /**
     * Rejects a history whose database would be too large.
     *
     * <p>A snapshot has all allocated buffers, so that the rows grow with the product of operations and buffers.
     *
     * @throws IllegalArgumentException if it has more than 50 million rows
     */
    public static void rejectTooManyRows(WritableHistory history) {
        long live = 0;
        long rows = 0;
        for (Step step : history.steps()) {
            live += step.isAllocation()
                    ? step.buffers().size()
                    : -step.buffers().size();
            rows += live;
        }
        if (rows > MAX_ROWS) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "A database lists the allocated buffers after each operation: %d rows for this history, and at most %d are"
                            + " written. Write a graph capture instead, which has each buffer once",
                    rows,
                    MAX_ROWS));
        }
    }

    /**
     * Writes the database.
     *
     * @throws IOException if it cannot be written, or the library is missing
     */
    public static void write(WritableHistory history, OutputStream file) throws IOException {
        Path draft = Files.createTempFile("meshguard-", ".sqlite");
        try {
            DatabaseWriter.write(history, draft);
            Files.copy(draft, file);
        } catch (SQLException e) {
            throw new IOException("SQLite cannot write the database: " + e.getMessage(), e);
        } catch (LinkageError e) {
            throw new IOException(
                    "the library that writes databases is missing: add org.xerial:sqlite-jdbc to the class path", e);
        } finally {
            Files.deleteIfExists(draft);
        }
    }
}
