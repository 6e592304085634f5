package dev.meshguard.server.process;

import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.capture.RuntimeOutputReader;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A file of the runtime that a program is expected to write; one of an earlier run is not taken for it. */
final class WrittenOutput {

    private final Path file;
    private final RuntimeOutputReader reader;
    private final Optional<Object> earlier;

    private WrittenOutput(Path file, RuntimeOutputReader reader) {
        this.file = file;
        this.reader = reader;
        this.earlier = stateOf(file);
    }

    /** Returns the file that a program which starts afterwards will write. */
    static WrittenOutput before(Path file, RuntimeOutputReader reader) {
        return new WrittenOutput(file, reader);
    }

    /** Two files at one path, or two states of one file, differ in it. */
    private static Optional<Object> stateOf(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(
                    List.of(attributes.lastModifiedTime(), attributes.size(), Objects.toString(attributes.fileKey())));
        } catch (IOException missing) {
            return Optional.empty();
        }
    }

    /** Returns its history; one that makes a verdict inconclusive if it cannot be read. Notes about it are added to a list. */
    AllocationHistory history(List<String> notes) {
        try {
            RuntimeOutput output = read();
            notes.add(String.format(
                    Locale.ROOT,
                    "it is judged by %s (%s)",
                    file,
                    output.format().text()));
            return output.history();
        } catch (IOException e) {
            return unread(String.format(Locale.ROOT, "%s cannot be read: %s", file, reason(e)));
        }
    }

    private RuntimeOutput read() throws IOException {
        Optional<Object> now = stateOf(file);
        if (now.isEmpty()) {
            throw new IOException("the program did not write it");
        }
        if (now.equals(earlier)) {
            throw new IOException("it is from before the start of the program, which did not write it again");
        }
        return reader.read(file);
    }

    private static AllocationHistory unread(String reason) {
        AllocationTracker nothing = AllocationTracker.create();
        nothing.sourceAttached("output of the runtime");
        nothing.reportsLost(-1, reason);
        return nothing.history();
    }

    private static String reason(IOException e) {
        @Nullable String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
