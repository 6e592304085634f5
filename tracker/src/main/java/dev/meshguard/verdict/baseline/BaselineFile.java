package dev.meshguard.verdict.baseline;

import dev.meshguard.file.EditedText;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.file.ProcessLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A file with the {@link Baseline} of a project, which is read, and replaced when known leaks are added or removed.
 *
 * <p>Several processes may change it at the same time. Each reads it again under a lock, so no change is lost. Each
 * replaces it as a whole, so no reader sees half of it.
 *
 * @param path the path of the file
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BaselineFile(Path path) {

    /** Creates a reference to the file without reading it. */
    public BaselineFile {
        path = path.toAbsolutePath().normalize();
    }

    /** Returns whether the file exists. */
    public boolean exists() {
        // A pipe also counts, because it can be read.
        return Files.exists(path) && !Files.isDirectory(path);
    }

    /**
     * Reads the file; a missing file is an empty baseline.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if a line is no entry, or the file is not in UTF-8
     */
    public Baseline read() throws IOException {
        return exists() ? Baseline.parse(EditedText.read(path), path.toString()) : Baseline.empty();
    }

    /**
     * Changes the file, unless the change has no effect.
     *
     * @param change from the current content to the new one
     * @return the new content
     * @throws IOException if it cannot be read or written
     */
    public Baseline update(UnaryOperator<Baseline> change) throws IOException {
        return ProcessLock.holding(path, () -> {
            Baseline before = read();
            Baseline after = change.apply(before);
            if (!after.equals(before) || !exists()) {
                replace(after.toText());
            }
            return after;
        });
    }

    private void replace(String text) throws IOException {
        if (path.getParent() != null) {
            Files.createDirectories(path.getParent());
        }
        FileReplacement.writeText(path, writer -> writer.write(text));
    }
}
