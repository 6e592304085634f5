package dev.meshguard.verification.corpus.writing;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A history as a temporary file that the runtime could have written.
 *
 * <p>Each generation of a buffer is written once, with its device, memory, address and size, where it was allocated and
 * where its last report was freed. The owner of the buffer becomes the operation that allocated it. A call that
 * allocated buffers on several devices is one operation. The file ends at the check, if the history has one. All other
 * facts are lost.
 *
 * <p>Such a file has one buffer at an address and no view. If reports were lost, or a buffer remains that the file cannot
 * hold, a capture has no {@code capture_end}, and a database has a buffer without numbers. A verdict on the file is then
 * never {@code LEAK_FREE}.
 *
 * @param path the file, which the caller deletes
 * @param buffers the buffers that it has, in the order of their allocation
 */
public record RuntimeFile(Path path, List<BufferGeneration> buffers) {

    /** The formats of such files. */
    public enum Format {
        /** An array of nodes in the newest encoding. */
        GRAPH_CAPTURE("graph capture", GraphWriter::write),
        /** A database of schema 3.1, with the graph and the files, lines and methods of the call stack of each operation. */
        REPORT_DATABASE("report database", DatabaseWriter::write);

        private final String text;

        @SuppressWarnings("ImmutableEnumChecker") // Stateless method references.
        private final Writing writing;

        Format(String text, Writing writing) {
            this.text = text;
            this.writing = writing;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Writes what of a history such a file can hold. */
    private interface Writing {
        void write(WritableHistory history, OutputStream file) throws IOException;
    }

    /** Writes a history. */
    public static RuntimeFile of(AllocationHistory history, Format format) throws IOException {
        WritableHistory writable = new WritableHistory(history.asOfCheck());
        Path file = Files.createTempFile("meshguard-", ".written");
        try (OutputStream out = Files.newOutputStream(file)) {
            format.writing.write(writable, out);
        }
        return new RuntimeFile(file, writable.buffers());
    }
}
