package dev.meshguard.verdict.baseline;

import dev.meshguard.tracker.FileReplacement;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A baseline on disk.
 *
 * <p>Several processes may change it at a time: each reads it again under a lock, so no change is lost, and replaces it as a whole, so
 * nobody reads half of it.
 *
 * @param path where it is
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BaselineFile(Path path) {

    /** Creates the file's name; nothing is read yet. */
    public BaselineFile {
        path = path.toAbsolutePath().normalize();
    }

    /** Returns whether it is there. */
    public boolean exists() {
        // Also a pipe, for whoever only reads it.
        return Files.exists(path) && !Files.isDirectory(path);
    }

    /**
     * Reads it; one that is not there knows nothing.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if a line is no entry
     */
    public Baseline read() throws IOException {
        return exists()
                ? Baseline.parse(Files.readString(path, StandardCharsets.UTF_8), path.toString())
                : Baseline.empty();
    }

    /**
     * Changes it, unless the change changes nothing.
     *
     * @param change from what is in it now to what shall be in it
     * @return what is in it now
     * @throws IOException if it cannot be read or written
     */
    public Baseline update(UnaryOperator<Baseline> change) throws IOException {
        // A lock file beside it would be one more file to keep out of version control.
        Path lockFile = Path.of(System.getProperty("java.io.tmpdir"))
                .resolve(String.format(
                        Locale.ROOT, "meshguard-%08x.lock", path.toString().hashCode()));
        synchronized (InJvm.LOCK) {
            try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                Baseline before = read();
                Baseline after = change.apply(before);
                if (!lock.isValid()) {
                    throw new IOException("The lock of " + path + " was lost while it was changed: " + lockFile);
                }
                if (!after.equals(before) || !exists()) {
                    replace(after.toText());
                }
                return after;
            }
        }
    }

    private void replace(String text) throws IOException {
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        FileReplacement.write(path, bytes -> bytes.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** A file lock is held by the whole process: a second thread that asks for it is refused instead of made to wait. */
    private static final class InJvm {
        private static final Object LOCK = new Object();
    }
}
