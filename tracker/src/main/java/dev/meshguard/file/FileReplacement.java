package dev.meshguard.file;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Replaces a file atomically: a reader sees the old or the new content, even if the process dies while it writes.
 *
 * <p>The content is written to a draft in the same folder, which then replaces the file. A symbolic link stays and its
 * target is replaced. Permissions stay; owner and group stay where this user may set them. A file that cannot be
 * replaced is written in place: a pipe, a device, a mount point, or a file in a folder that this user cannot write to.
 *
 * <p>Safe for use by several threads and processes; the last one wins.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class FileReplacement {

    private static final int MAX_LINKS = 40;

    /** Contains the open files of processes, under whatever names. */
    private static final Path OPEN_FILES = Path.of("/proc");

    /**
     * Writes the whole content.
     *
     * @param <X> what it throws besides
     */
    @FunctionalInterface
    public interface Content<X extends Exception> {
        void write(OutputStream bytes) throws IOException, X;
    }

    /**
     * Writes the whole text.
     *
     * @param <X> what it throws besides
     */
    @FunctionalInterface
    public interface Text<X extends Exception> {
        void write(Writer writer) throws IOException, X;
    }

    private FileReplacement() {}

    /**
     * Writes a file and replaces existing content.
     *
     * @throws IOException if the file cannot be written; the old content remains unless it had to be written in place
     */
    public static <X extends Exception> void write(Path file, Content<X> content) throws IOException, X {
        Optional<Path> replaceable = replaceable(file);
        if (replaceable.isEmpty()) {
            writeInPlace(file, content);
            return;
        }
        Path target = replaceable.get();
        Path draft = target.resolveSibling(".meshguard-" + UUID.randomUUID() + ".draft");
        Drafts.OPEN.add(draft);
        try {
            try (OutputStream bytes = create(draft, file)) {
                // Before the first byte is written: content that is private must not be readable meanwhile.
                copyAttributes(target, draft);
                content.write(bytes);
            }
            move(draft, target);
        } finally {
            Files.deleteIfExists(draft);
            Drafts.OPEN.remove(draft);
        }
    }

    /** Writes a file as {@link #write} does, in UTF-8. */
    public static <X extends Exception> void writeText(Path file, Text<X> text) throws IOException, X {
        write(file, bytes -> {
            Writer writer = new BufferedWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8));
            text.write(writer);
            writer.flush();
        });
    }

    /** Creates the draft; an error names the file. */
    private static OutputStream create(Path draft, Path file) throws IOException {
        try {
            return Files.newOutputStream(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileSystemException e) {
            throw new FileSystemException(file.toString(), null, e.getReason());
        }
    }

    private static <X extends Exception> void writeInPlace(Path file, Content<X> content) throws IOException, X {
        try (OutputStream bytes = Files.newOutputStream(file)) {
            content.write(bytes);
        }
    }

    /** Returns the file behind all symbolic links, or empty if it is no regular file or its folder cannot be written to. */
    private static Optional<Path> replaceable(Path file) throws IOException {
        if (Files.exists(file)) {
            if (!Files.isRegularFile(file)) {
                return Optional.empty();
            }
            if (!Files.isWritable(file)) {
                throw new AccessDeniedException(file.toString());
            }
        }
        Path at = file.toAbsolutePath();
        for (int links = 0; links < MAX_LINKS; links++) {
            Path name = at.getFileName();
            if (name == null) {
                return Optional.empty();
            }
            Path folder = folder(at, file);
            if (folder.startsWith(OPEN_FILES)) {
                return Optional.empty();
            }
            at = folder.resolve(name);
            if (!Files.isSymbolicLink(at)) {
                return Files.isWritable(folder) ? Optional.of(at) : Optional.empty();
            }
            at = folder.resolve(Files.readSymbolicLink(at));
        }
        throw new FileSystemLoopException(file.toString());
    }

    private static Path folder(Path at, Path file) throws IOException {
        try {
            return at.resolveSibling("").toRealPath();
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(file.toString());
        }
    }

    private static void copyAttributes(Path from, Path to) {
        // A change of the owner may remove permissions, so these are set last.
        for (String name : List.of("posix:group", "posix:owner", "posix:permissions")) {
            try {
                Files.setAttribute(to, name, Files.getAttribute(from, name));
            } catch (IOException | UnsupportedOperationException notAllowed) {
                // A new file has none to copy, and the content matters more than its owner.
            }
        }
    }

    private static void move(Path draft, Path target) throws IOException {
        try {
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (FileSystemException cannotBeReplaced) {
            // Opened first: if the draft is missing, nothing is lost.
            try (InputStream whole = Files.newInputStream(draft)) {
                writeInPlace(target, whole::transferTo);
            }
        }
    }

    /** The drafts in progress; they are deleted if a signal ends the process. */
    private static final class Drafts {
        private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

        static {
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(Drafts::delete, "meshguard-drafts"));
            } catch (IllegalStateException e) {
                // The process is exiting, and no reader uses a remaining draft.
            }
        }

        private static void delete() {
            for (Path draft : OPEN) {
                try {
                    Files.deleteIfExists(draft);
                } catch (IOException e) {
                    // No reader uses it.
                }
            }
        }
    }
}
