package dev.meshguard.file;

import dev.meshguard.text.InvariantText;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A lock for changes of a file: one thread of one process of this machine holds it at a time.
 *
 * <p>It locks a file in the folder for temporary files. A lock file beside the changed one would be one more file to keep
 * out of version control.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class ProcessLock {

    /**
     * Changes a file.
     *
     * @param <T> the result
     */
    @FunctionalInterface
    public interface Change<T> {
        /** Makes the change. */
        T make() throws IOException;
    }

    /** A file lock belongs to the whole process: a second thread that requests it fails instead of waiting. */
    private static final Object OF_THREADS = new Object();

    private ProcessLock() {}

    /**
     * Makes a change while the lock of a file is held.
     *
     * @param file the file, by its absolute and normalized path
     * @throws IOException if the lock cannot be acquired, or from the change
     */
    public static <T> T holding(Path file, Change<T> change) throws IOException {
        synchronized (OF_THREADS) {
            try (FileChannel channel =
                            FileChannel.open(lockFile(file), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                return change.make();
            }
        }
    }

    private static Path lockFile(Path file) {
        return Path.of(System.getProperty("java.io.tmpdir"))
                .resolve(InvariantText.of("meshguard-%08x.lock", file.toString().hashCode()));
    }
}
