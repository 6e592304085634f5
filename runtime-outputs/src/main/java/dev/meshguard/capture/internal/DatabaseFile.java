package dev.meshguard.capture.internal;

import dev.meshguard.capture.compression.internal.PlainInput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A database of SQLite; only reading it needs the library. */
public final class DatabaseFile {

    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    private DatabaseFile() {}

    /** Returns whether the first bytes of a file, plain or compressed, are those of a database. */
    public static boolean isDatabase(byte[] beginning) {
        try {
            InputStream plain = PlainInput.of(new ByteArrayInputStream(beginning)).stream();
            return Arrays.equals(plain.readNBytes(MAGIC.length), MAGIC);
        } catch (IOException damaged) {
            return false;
        }
    }

    /** Returns whether a stream is a database that is not compressed; the stream is at its beginning again afterwards. */
    public static boolean isPlainDatabase(InputStream file) throws IOException {
        file.mark(MAGIC.length);
        byte[] beginning = file.readNBytes(MAGIC.length);
        file.reset();
        return Arrays.equals(beginning, MAGIC);
    }

    /**
     * Reads a database.
     *
     * @return the content for each rank; none if the criteria name a rank that it does not have
     * @throws UnreadableOutputException if it is no database of a report, or the library is missing
     */
    public static List<OutputContent> read(Path file, ReadingCriteria criteria) throws IOException {
        try {
            return DatabaseReader.read(file, criteria);
        } catch (LinkageError e) {
            throw new UnreadableOutputException("it is a database of SQLite, and the library that reads it is missing:"
                    + " add org.xerial:sqlite-jdbc to the class path");
        }
    }
}
