package dev.meshguard.server;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The file of a server's socket, by which programs find it.
 *
 * <p>The socket is created in a new folder that only this user may enter, gets its permissions there, and is then
 * linked to its path. So it never has other permissions at its path, no call follows a symbolic link there, and the
 * link fails if the path exists.
 *
 * <p>Only a stream socket without a listening server is removed from the path: a killed server leaves one. Of several servers that
 * find it, the one that can link it to a claim beside it removes it. So no server removes the new socket of another. Another program
 * does not know the claim: if it replaces the socket between the last look at it and its removal, its new socket is removed.
 */
final class SocketFile implements Closeable {

    private static final int BACKLOG = 128;
    private static final int MAX_PATH_BYTES = 107;

    /** How often a server tries to remove a stale socket that another one may be removing: for two seconds. */
    static final int ATTEMPTS = 1000;

    private static final long PAUSE_NANOS = 2_000_000;

    /** The mode bits of a file's type, and their value for a socket; {@code man 7 inode}. */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET = 0140000;

    private final Path path;
    private final @Nullable Object identity;

    private SocketFile(Path path, @Nullable Object identity) {
        this.path = path;
        this.identity = identity;
    }

    /**
     * Binds a server to a path.
     *
     * @param attempts how often it tries to remove a stale socket; {@link #ATTEMPTS} unless a test waits for the end of them
     * @throws BindException if another server listens there
     * @throws IOException if the path cannot be used; the message names the way out
     */
    static SocketFile bind(ServerSocketChannel server, Path path, int attempts) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new IOException(
                    "The folder of the socket " + path + " does not exist. Make it, or choose another path.");
        }
        try {
            Path folder = privateFolder(parent);
            Path socket = folder.resolve("s");
            try {
                listen(server, socket, path);
                return linked(socket, path, attempts);
            } finally {
                Files.deleteIfExists(socket);
                Files.delete(folder);
            }
        } catch (UnsupportedOperationException | FileSystemException e) {
            throw new IOException("Cannot listen at " + path + ": " + reason(e) + ". Choose another path.", e);
        }
    }

    /** A short random name separates two servers; security does not depend on its secrecy. */
    private static Path privateFolder(Path parent) throws IOException {
        while (true) {
            int number = ThreadLocalRandom.current().nextInt(1 << 30);
            try {
                return Files.createDirectory(
                        parent.resolve(".s" + Integer.toString(number, Character.MAX_RADIX)),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException e) {
                // The next name may be free.
            }
        }
    }

    private static void listen(ServerSocketChannel server, Path socket, Path path) throws IOException {
        int excess = Math.max(bytes(path), bytes(socket)) - MAX_PATH_BYTES;
        if (excess > 0) {
            throw new IOException("The path of the socket " + path + " is " + excess
                    + " bytes too long, also because the socket is created in a folder of its own beside it. Choose a"
                    + " shorter one.");
        }
        try {
            server.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
        } catch (IOException e) {
            throw new IOException("Cannot listen at " + path + ": " + e.getMessage() + ". Choose another path.", e);
        }
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
    }

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    private static SocketFile linked(Path socket, Path path, int attempts) throws IOException {
        Path claim = claimOf(path);
        for (int attempt = 0; attempt < attempts; attempt++) {
            try {
                Files.createLink(path, socket);
                return new SocketFile(path, identityOf(socket));
            } catch (FileAlreadyExistsException e) {
                removeStale(path, claim);
            }
        }
        throw new IOException("Nobody answers at " + path + ", and it cannot be removed because " + claim
                + " exists, which a server has only while it removes a socket. Remove both, or choose another path.");
    }

    /** Each socket has its own claim, whose path is no longer than that of a socket in a new folder. */
    private static Path claimOf(Path path) {
        int number = String.valueOf(path.getFileName()).hashCode() & ((1 << 30) - 1);
        return path.resolveSibling(".c" + Integer.toString(number, Character.MAX_RADIX));
    }

    // Removal of a stale socket

    /** Removes a socket at the path if no server listens at it, unless another server is about to do that. */
    private static void removeStale(Path path, Path claim) throws IOException {
        try {
            if (!isSocket(path)) {
                throw new IOException(
                        path + " is no socket, so it is not replaced. Remove it, or choose another path.");
            }
            if (isAnswered(path)) {
                throw new BindException(
                        "Another allocation server listens at " + path + ". Stop it, or choose another path.");
            }
            Files.createLink(claim, path);
            try {
                boolean isStale = isSocket(claim) && !isAnswered(claim);
                if (isStale && Objects.equals(identityOf(claim), identityOf(path))) {
                    Files.delete(path);
                }
            } finally {
                Files.delete(claim);
            }
        } catch (NoSuchFileException e) {
            return; // Another server has just removed it.
        } catch (FileAlreadyExistsException e) {
            LockSupport.parkNanos(PAUSE_NANOS); // Another server has the claim.
        } catch (FileSystemException e) {
            throw new IOException(
                    "Nobody answers at " + path + ", and it cannot be removed (" + reason(e)
                            + "). Remove it, or choose another path.",
                    e);
        }
    }

    private static boolean isSocket(Path path) throws IOException {
        return ((int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & FILE_TYPE) == SOCKET;
    }

    /** A server that is too busy to accept still exists, so this does not wait for it. */
    private static boolean isAnswered(Path path) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage());
            if (reason.contains("temporarily unavailable")) {
                return true;
            }
            if (reason.contains("No such file") || !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new NoSuchFileException(path.toString());
            }
            throw new IOException(
                    "Cannot find out whether somebody listens at " + path + ": " + reason + ". Choose another path.",
                    e);
        }
    }

    private static String reason(Exception failure) {
        if (failure instanceof AccessDeniedException) {
            return "Permission denied";
        }
        return failure instanceof FileSystemException file && file.getReason() != null
                ? file.getReason()
                : String.valueOf(failure.getMessage());
    }

    private static @Nullable Object identityOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /**
     * Removes the file, unless another program has replaced it; call this before closing the server's socket.
     *
     * @throws IOException if it cannot be removed; the message names the way out, without the full stop
     */
    @Override
    public void close() throws IOException {
        try {
            if (identity != null && Objects.equals(identity, identityOf(path))) {
                Files.delete(path);
            }
        } catch (NoSuchFileException e) {
            // Another program has removed it.
        } catch (FileSystemException e) {
            throw new IOException(
                    "the file of the socket " + path + " could not be removed (" + reason(e) + "). Remove it", e);
        }
    }
}
