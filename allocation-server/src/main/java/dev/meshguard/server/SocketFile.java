package dev.meshguard.server;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file by which programs find a server.
 *
 * <p>It stays behind when a server is killed, so one that nobody answers at is replaced. One at which somebody answers is never taken
 * away, also not where two servers are started at the same time: a file is moved aside before it is asked, and moved back if
 * there is an answer.
 */
final class SocketFile {

    private static final int BACKLOG = 128;
    private static final int LONGEST = 107;

    private final Path path;
    private final @Nullable Object identity;

    private SocketFile(Path path, @Nullable Object identity) {
        this.path = path;
        this.identity = identity;
    }

    /**
     * Binds a server to a path.
     *
     * @throws IOException if somebody else listens there, or the path cannot be used; the message says what would help
     */
    static SocketFile bind(ServerSocketChannel server, Path path, Set<PosixFilePermission> permissions)
            throws IOException {
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST) {
            throw new IOException("The path of the socket has " + length + " bytes, and the system allows " + LONGEST
                    + ": " + path + ". Choose a shorter one.");
        }
        Path folder = path.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new IOException(
                    "The folder of the socket " + path + " does not exist. Make it, or choose another path.");
        }
        removeStale(path);
        try {
            server.bind(UnixDomainSocketAddress.of(path), BACKLOG);
        } catch (IOException e) {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                throw inUse(path, e);
            }
            throw new IOException("Cannot listen at " + path + ": " + e.getMessage() + ". Choose another path.", e);
        }
        SocketFile file = new SocketFile(path, identityOf(path));
        try {
            Files.setPosixFilePermissions(path, permissions);
        } catch (UnsupportedOperationException e) {
            // A file system without such permissions: there the folder's decide.
            return file;
        }
        return file;
    }

    private static void removeStale(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw new IOException(path + " is no socket, so it is not replaced. Remove it, or choose another path.");
        }
        if (isAnswered(path)) {
            throw inUse(path, null);
        }
        Path aside = path.resolveSibling(path.getFileName() + "~");
        boolean canBeAskedAside = aside.toString().length() <= LONGEST;
        try {
            Files.move(path, canBeAskedAside ? aside : path);
        } catch (NoSuchFileException e) {
            return; // Somebody else has just removed it.
        } catch (FileAlreadyExistsException e) {
            Files.deleteIfExists(aside);
            Files.move(path, aside);
        }
        if (!canBeAskedAside) {
            Files.deleteIfExists(path);
        } else if (isAnswered(aside)) {
            Files.move(aside, path);
            throw inUse(path, null);
        } else {
            Files.deleteIfExists(aside);
        }
    }

    private static boolean isAnswered(Path path) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return probe.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).contains("refused")) {
                return false;
            }
            throw new IOException(
                    "Cannot find out whether somebody listens at " + path + ": " + e.getMessage()
                            + ". Choose another path.",
                    e);
        }
    }

    private static IOException inUse(Path path, @Nullable IOException cause) {
        return new IOException(
                "Another allocation server listens at " + path + ". Stop it, or choose another path.", cause);
    }

    private static @Nullable Object identityOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Removes the file, unless somebody has put another in its place; to be called before the server's socket is closed. */
    void removeOwn() throws IOException {
        try {
            if (identity != null && Objects.equals(identity, identityOf(path))) {
                Files.delete(path);
            }
        } catch (NoSuchFileException e) {
            // Somebody else has removed it.
            return;
        }
    }
}
