package dev.meshguard.capture.internal;

import dev.meshguard.capture.OutputFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Joins the captures and the databases in a folder that are of one run and rank, so that each process has one history.
 *
 * <p>A database belongs to a capture if both have overlapping times, or, if one has no time, if they are the only ones of their rank
 * in a folder. Its operations must be among those of the capture, in their order. Device ids prove nothing: the importer
 * of databases numbers devices anew.
 */
public final class OutputJoin {

    /**
     * An output that was read.
     *
     * @param file where it is
     * @param plain where it is without its compression
     * @param format its format
     * @param content its content for one rank
     */
    public record FileContent(Path file, Path plain, OutputFormat format, OutputContent content) {

        private boolean isDatabase() {
            return format == OutputFormat.REPORT_DATABASE;
        }

        /** Only a process of several has a rank in a capture, but each has one in newer databases. */
        private int rank() {
            return content.rank().orElse(0);
        }

        private boolean mayBeOfRunOf(FileContent other) {
            if (rank() != other.rank()) {
                return false;
            }
            Optional<CaptureTime> time = content.time();
            Optional<CaptureTime> otherTime = other.content.time();
            return (time.isPresent() && otherTime.isPresent())
                    ? time.get().overlaps(otherTime.get())
                    : file.resolveSibling(other.file.getFileName()).equals(other.file);
        }
    }

    private OutputJoin() {}

    /** Returns the outputs in their order, those of one run and rank as one. */
    public static List<FileContent> joined(List<FileContent> outputs) throws IOException {
        List<FileContent> captures =
                outputs.stream().filter(output -> !output.isDatabase()).toList();
        List<FileContent> databases =
                outputs.stream().filter(FileContent::isDatabase).toList();
        Map<FileContent, FileContent> changed = new HashMap<>();
        Set<FileContent> used = new HashSet<>();
        for (FileContent capture : captures) {
            Optional<FileContent> database = only(databases, capture)
                    .filter(found -> only(captures, found).isPresent());
            Optional<OutputContent> both = database.isPresent() ? join(capture, database.get()) : Optional.empty();
            if (both.isPresent()) {
                changed.put(capture, new FileContent(capture.file, capture.plain, capture.format, both.get()));
                used.add(database.get());
            }
        }
        List<FileContent> all = new ArrayList<>();
        for (FileContent output : outputs) {
            if (!used.contains(output)) {
                all.add(changed.getOrDefault(output, output));
            }
        }
        return all;
    }

    private static Optional<FileContent> only(List<FileContent> others, FileContent output) {
        List<FileContent> found = others.stream()
                .filter(other -> other.mayBeOfRunOf(output))
                .limit(2)
                .toList();
        return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
    }

    private static Optional<OutputContent> join(FileContent capture, FileContent database) throws IOException {
        Optional<CaptureEvidence> evidence = capture.content.evidence();
        return evidence.isEmpty()
                ? Optional.empty()
                : DatabaseFile.join(
                                database.plain,
                                String.valueOf(database.file.getFileName()),
                                database.content.rank(),
                                evidence.get())
                        .map(capture.content::joinedWith);
    }
}
