package dev.meshguard.capture.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A stream as a temporary file, for a format that is not read from its beginning to its end; closing it deletes the file.
 *
 * @param path the file
 */
public record SpooledFile(Path path) implements AutoCloseable {

    private static final long MAX_BYTES = 1L << 34;
    private static final int BLOCK = 1 << 16;

    /**
     * Copies a stream to its end.
     *
     * @throws UnreadableOutputException if it is longer than 16 GiB
     */
    public static SpooledFile of(InputStream stream) throws IOException {
        SpooledFile file = new SpooledFile(Files.createTempFile("meshguard-", ".sqlite"));
        try (OutputStream out = Files.newOutputStream(file.path)) {
            byte[] block = new byte[BLOCK];
            long copied = 0;
            for (int read = stream.read(block); read >= 0; read = stream.read(block)) {
                copied += read;
                if (copied > MAX_BYTES) {
                    throw new UnreadableOutputException(String.format(
                            Locale.ROOT,
                            "it has more than %d GiB, the most that is copied to a temporary file. Give the database as"
                                    + " a file that is not compressed",
                            MAX_BYTES >> 30));
                }
                out.write(block, 0, read);
            }
            return file;
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
    }
}
