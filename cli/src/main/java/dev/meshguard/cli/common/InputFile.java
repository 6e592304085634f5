package dev.meshguard.cli.common;

import dev.meshguard.capture.heap.internal.InsufficientHeapException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file on the command line that is read: a regular file, a pipe or a device. */
public final class InputFile {

    private InputFile() {}

    /**
     * Returns the path of a file that is not a folder.
     *
     * @param wayOut the advice in the message about a folder
     */
    public static Path path(String name, String wayOut) throws UsageException, NoSuchFileException {
        Path file;
        try {
            file = Path.of(name);
        } catch (InvalidPathException e) {
            throw new NoSuchFileException(name);
        }
        if (Files.isDirectory(file)) {
            throw new UsageException(name + " is a folder. " + wayOut);
        }
        return file;
    }

    /** Opens it. */
    public static InputStream open(Path file) throws IOException {
        // A channel queries the position of pipes, which have none.
        boolean isPipe = Files.exists(file) && !Files.isRegularFile(file);
        return isPipe ? new FileInputStream(file.toFile()) : Files.newInputStream(file);
    }

    /** Returns the error for a file that cannot be read. */
    public static UsageException unreadable(String name, String what, IOException e) {
        if (e instanceof NoSuchFileException) {
            return new UsageException(
                    name + " does not exist. Give the path of " + what + ", or - for standard input.");
        }
        if (e instanceof AccessDeniedException) {
            return new UsageException(
                    name + " may not be read by this user. Change its permissions, or pipe it in with -.");
        }
        if (e instanceof InsufficientHeapException) {
            return new UsageException(String.valueOf(e.getMessage()));
        }
        return new UsageException(name + " cannot be read: " + CommandFailures.reason(e));
    }
}
