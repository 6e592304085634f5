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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
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

    /** The names of files that a process has open. A process that opened one does not see a file that replaces it. */
    private static final List<Path> OPEN_FILES =
            List.of(Path.of("/proc"), Path.of("/dev/fd"), Path.of("/dev/stdout"), Path.of("/dev/stderr"));

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
        Optional<Path> replaceable = replaceable(file.toAbsolutePath());
        if (replaceable.isEmpty()) {
            try (OutputStream bytes = Files.newOutputStream(file)) {
                content.write(bytes);
            }
            return;
        }
        Path target = replaceable.get();
        Path draft = target.resolveSibling(".meshguard-" + UUID.randomUUID() + ".draft");
        try {
            try (OutputStream bytes = create(draft, target)) {
                content.write(bytes);
            }
            move(draft, target);
        } finally {
            Files.deleteIfExists(draft);
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

    /** Returns the file behind all symbolic links; empty if it has to be written in place. */
    private static Optional<Path> replaceable(Path file) throws IOException {
        boolean exists = Files.exists(file);
        boolean isPlain = exists ? Files.isRegularFile(file) && !isOpenFile(file) : !Files.isSymbolicLink(file);
        if (!isPlain) {
            return Optional.empty();
        }
        if (exists && !Files.isWritable(file)) {
            throw new AccessDeniedException(file.toString());
        }
        Path target = exists ? file.toRealPath() : file;
        return Files.isWritable(target.resolveSibling("")) ? Optional.of(target) : Optional.empty();
    }

    /** Returns whether a file, or a symbolic link on the way to it, is the name of an open file. */
    private static boolean isOpenFile(Path file) throws IOException {
        Path name = file.resolveSibling("").toRealPath().resolve(file.getFileName());
        return OPEN_FILES.stream().anyMatch(name::startsWith)
                || (Files.isSymbolicLink(name) && isOpenFile(name.resolveSibling(Files.readSymbolicLink(name))));
    }

    /** Creates the draft with the permissions of the file; an error names the file. */
    private static OutputStream create(Path draft, Path file) throws IOException {
        try {
            if (Files.exists(file)) {
                // Content that is private must not be readable meanwhile.
                Files.copy(file, draft, StandardCopyOption.COPY_ATTRIBUTES);
            }
            return Files.newOutputStream(draft);
        } catch (FileSystemException e) {
            throw new FileSystemException(file.toString(), null, e.getReason());
        }
    }

    private static void move(Path draft, Path target) throws IOException {
        try {
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (FileSystemException cannotBeReplaced) {
            // Opened first: if the draft is missing, nothing is lost.
            try (InputStream whole = Files.newInputStream(draft);
                    OutputStream inPlace = Files.newOutputStream(target)) {
                whole.transferTo(inPlace);
            }
        }
    }
}
