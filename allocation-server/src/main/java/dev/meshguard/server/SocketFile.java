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
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
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
 * <p>Only a stream socket without a listening server is ever removed from the path: a killed server leaves one. It is
 * first moved into the folder and checked again there. If it turns out to be something else, because another program
 * replaced it meanwhile, it is linked back.
 */
final class SocketFile implements Closeable {

    private static final int BACKLOG = 128;
    private static final int MAX_PATH_BYTES = 107;
    private static final int MAX_ATTEMPTS = 1000;
    private static final long PAUSE_NANOS = 2_000_000;

    /** The mode bits of a file's type, and their value for a socket; {@code man 7 inode}. */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET = 0140000;

    /** The files of the private folder; short, because the system limits the path of a socket. */
    private static final String NEW = "s";

    private static final String OLD = "o";

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path path;
    private final @Nullable Object identity;

    private SocketFile(Path path, @Nullable Object identity) {
        this.path = path;
        this.identity = identity;
    }

    /**
     * Binds a server to a path.
     *
     * @throws BindException if another server listens there
     * @throws IOException if the path cannot be used; the message names the way out
     */
    static SocketFile bind(ServerSocketChannel server, Path path, Set<PosixFilePermission> permissions)
            throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new IOException(
                    "The folder of the socket " + path + " does not exist. Make it, or choose another path.");
        }
        Path folder = privateFolder(parent, path);
        try {
            return bind(server, path, folder, permissions);
        } finally {
            Files.deleteIfExists(folder.resolve(NEW));
            removeIfEmpty(folder);
        }
    }

    private static SocketFile bind(
            ServerSocketChannel server, Path path, Path folder, Set<PosixFilePermission> permissions)
            throws IOException {
        Path socket = folder.resolve(NEW);
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
        try {
            Files.setPosixFilePermissions(socket, permissions);
        } catch (UnsupportedOperationException e) {
            // A file system without such permissions: the folder's permissions decide.
        }
        return linked(socket, path, folder);
    }

    private static SocketFile linked(Path socket, Path path, Path folder) throws IOException {
        Object identity = identityOf(socket);
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            try {
                Files.createLink(path, socket);
                return new SocketFile(path, identity);
            } catch (FileAlreadyExistsException e) {
                removeStale(path, folder);
            } catch (UnsupportedOperationException | FileSystemException e) {
                throw new IOException("Cannot listen at " + path + ": " + reason(e) + ". Choose another path.", e);
            }
        }
        throw new IOException(
                "Cannot listen at " + path + ": another server that was killed was about to remove it. Remove " + path
                        + " and the files .c… beside it, or choose another path.");
    }

    /** A short random name separates two servers; security does not depend on its secrecy. */
    private static Path privateFolder(Path parent, Path path) throws IOException {
        int number = ThreadLocalRandom.current().nextInt(1 << 30);
        while (true) {
            Path folder = parent.resolve(".s" + Integer.toString(number, Character.MAX_RADIX));
            try {
                return Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            } catch (UnsupportedOperationException e) {
                return Files.createDirectory(folder);
            } catch (FileAlreadyExistsException e) {
                number++;
            } catch (IOException e) {
                throw new IOException(
                        "Cannot listen at " + path + ": no file can be created in its folder (" + reason(e)
                                + "). Choose another path.",
                        e);
            }
        }
    }

    // Removal of a stale socket

    /**
     * Removes a socket at the path if no server listens at it.
     *
     * <p>Of several servers that find it, only one can link it to a name made of its identity; that one removes it. So
     * no server removes the new socket of another.
     */
    private static void removeStale(Path path, Path folder) throws IOException {
        Object known;
        try {
            if (!isSocket(path)) {
                throw new IOException(
                        path + " is no socket, so it is not replaced. Remove it, or choose another path.");
            }
            known = identityOf(path);
            if (isAnswered(path)) {
                throw new BindException(
                        "Another allocation server listens at " + path + ". Stop it, or choose another path.");
            }
        } catch (NoSuchFileException e) {
            return; // Another server has just removed it.
        }
        Path claim = path.resolveSibling(".c" + Integer.toUnsignedString(Objects.hashCode(known), Character.MAX_RADIX));
        try {
            Files.createLink(claim, path);
            try {
                boolean isStill = Objects.equals(known, identityOf(claim)) && isSocket(claim);
                if (isStill && !isAnswered(claim)) {
                    remove(path, known, folder.resolve(OLD));
                }
            } finally {
                Files.delete(claim);
            }
        } catch (NoSuchFileException e) {
            return;
        } catch (FileAlreadyExistsException e) {
            LockSupport.parkNanos(PAUSE_NANOS); // Another server is about to remove it.
        } catch (UnsupportedOperationException | FileSystemException e) {
            throw new IOException(
                    "Nobody answers at " + path + ", and it cannot be removed (" + reason(e)
                            + "). Remove it, or choose another path.",
                    e);
        }
    }

    private static void remove(Path path, @Nullable Object known, Path old) throws IOException {
        Files.move(path, old);
        if (Objects.equals(known, identityOf(old))) {
            Files.delete(old);
        } else {
            putBack(old, path);
        }
    }

    /** Another program replaced the file at the path after the check. */
    private static void putBack(Path old, Path path) throws IOException {
        try {
            if (Files.isDirectory(old, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(old, path);
            } else {
                Files.createLink(path, old);
                Files.delete(old);
            }
        } catch (IOException e) {
            throw new IOException(
                    "Others create files at " + path + " at the same time. One of them is now " + old
                            + ": move it back, or choose another path.",
                    e);
        }
    }

    private static boolean isSocket(Path path) throws IOException {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix")
                ? ((int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & FILE_TYPE) == SOCKET
                : attributes(path).isOther();
    }

    /** A server that is too busy to accept still exists, so this does not wait for it. */
    private static boolean isAnswered(Path path) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (NoSuchFileException e) {
            throw e;
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

    // Files

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    private static String reason(Exception failure) {
        if (failure instanceof AccessDeniedException) {
            return "Permission denied";
        }
        return failure instanceof FileSystemException file && file.getReason() != null
                ? file.getReason()
                : String.valueOf(failure.getMessage());
    }

    private static BasicFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static @Nullable Object identityOf(Path path) throws IOException {
        return attributes(path).fileKey();
    }

    /** A file that cannot be linked back stays at the path in the message. */
    private static void removeIfEmpty(Path folder) throws IOException {
        if (!Files.exists(folder.resolve(OLD), LinkOption.NOFOLLOW_LINKS)) {
            Files.deleteIfExists(folder);
        }
    }

    /** Removes the file, unless another program has replaced it; call this before closing the server's socket. */
    @Override
    public void close() throws IOException {
        try {
            if (identity != null && Objects.equals(identity, identityOf(path))) {
                Files.delete(path);
            }
        } catch (NoSuchFileException e) {
            // Another program has removed it.
        }
    }
}
