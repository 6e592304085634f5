package dev.meshguard.server.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive right to the path that all clients know: one holder on this machine, in any JVM.
 *
 * <p>A lock file is next to the path. The lock ends with the JVM that holds it, in any way. The file is never removed,
 * because that could remove another process's lock.
 */
final class DefaultSocketClaim implements AutoCloseable {

    private static final long PAUSE_MILLIS = 20;

    private final FileChannel file;

    private DefaultSocketClaim(FileChannel file) {
        this.file = file;
    }

    /**
     * Waits for the right.
     *
     * @param socket the path
     * @param atMost the longest wait
     * @throws IllegalStateException if others hold it for longer, or the file belongs to another user; the message
     *     names the way out
     */
    static DefaultSocketClaim claim(Path socket, Duration atMost) throws IOException, InterruptedException {
        Path lock = socket.resolveSibling(socket.getFileName() + ".lock");
        FileChannel file = open(lock);
        try {
            long start = System.nanoTime();
            while (tryLock(file) == null) {
                if (System.nanoTime() - start >= atMost.toNanos()) {
                    throw new IllegalStateException(String.format(
                            Locale.ROOT,
                            "Another program that is watched has held %s for %d s. Only one at a time can report there: run the tests that"
                                    + " need it one after another, or start the program with ProcessSocket.PRIVATE if its client can use"
                                    + " another path.",
                            socket,
                            atMost.toSeconds()));
                }
                Thread.sleep(PAUSE_MILLIS);
            }
            return new DefaultSocketClaim(file);
        } catch (IOException | InterruptedException | RuntimeException failure) {
            file.close();
            throw failure;
        }
    }

    private static FileChannel open(Path lock) throws IOException {
        try {
            return FileChannel.open(
                    lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        } catch (AccessDeniedException ofAnotherUser) {
            throw new IllegalStateException(
                    lock
                            + " belongs to another user, whose tests use the socket beside it. Remove it when they are over, or start the"
                            + " program with ProcessSocket.PRIVATE if its client can use another path.",
                    ofAnotherUser);
        }
    }

    /** In the JVM that holds the lock, a second attempt throws instead of failing. */
    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException heldInThisJvm) {
            return null;
        }
    }

    /** Releases the right, with the lock of the open file. */
    @Override
    public void close() throws IOException {
        file.close();
    }
}
