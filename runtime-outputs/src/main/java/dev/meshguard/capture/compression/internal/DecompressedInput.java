package dev.meshguard.capture.compression.internal;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** Opens files, and reads them without their compression, which their first bytes show: gzip or none. */
public final class DecompressedInput {

    /** The reason if compressed data is damaged. */
    public static final String BROKEN = "the compressed data breaks off or is spoilt";

    private static final int BLOCK = 1 << 16;
    private static final int GZIP_BLOCK = 1 << 13;
    private static final byte[] GZIP = {0x1f, (byte) 0x8b};

    private DecompressedInput() {}

    /**
     * Opens a file as it is; it may be a pipe, which has no position that a channel could query.
     *
     * @throws NoSuchFileException if there is no such file; the message names the way out, also for a folder
     */
    public static InputStream open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "It is a folder. Give the path of a file");
        }
        boolean isPipe = Files.exists(file) && !Files.isRegularFile(file);
        try {
            return isPipe ? new FileInputStream(file.toFile()) : Files.newInputStream(file);
        } catch (NoSuchFileException e) {
            throw missing(file, e);
        }
    }

    private static NoSuchFileException missing(Path file, NoSuchFileException cause) {
        NoSuchFileException missing = new NoSuchFileException(
                file.toString(),
                null,
                "There is no such file. Give the path of one"
                        + (file.isAbsolute()
                                ? ""
                                : "; it is looked up in " + Path.of("").toAbsolutePath()));
        missing.initCause(cause);
        return missing;
    }

    /**
     * Returns the content of a file.
     *
     * @throws java.io.EOFException as each read does, if the compressed data breaks off
     * @throws java.util.zip.ZipException as each read does, if it is damaged
     */
    public static InputStream of(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, BLOCK);
        in.mark(GZIP.length);
        boolean isCompressed = Arrays.equals(in.readNBytes(GZIP.length), GZIP);
        in.reset();
        return isCompressed ? new GzipInput(in, GZIP_BLOCK) : in;
    }
}
