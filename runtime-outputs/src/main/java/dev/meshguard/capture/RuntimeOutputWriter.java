package dev.meshguard.capture;

import dev.meshguard.capture.writing.internal.DatabaseDraft;
import dev.meshguard.capture.writing.internal.GraphWriter;
import dev.meshguard.capture.writing.internal.WritableHistory;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.history.AllocationHistory;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes a history as a file that the runtime could have written, so that tools for such files read it.
 *
 * <pre>{@code
 * RuntimeOutputWriter writer = RuntimeOutputWriter.graphCapture(tracker.history());
 * writer.write(Path.of("graph.json"));
 * Map<String, Long> lost = writer.losses();
 * }</pre>
 *
 * <h2>What is written</h2>
 *
 * <p>Each generation of a buffer is written once, with its device, memory, address and size, where it was allocated and
 * where its last report was freed. The owner of the buffer becomes the operation that allocated it. A call that
 * allocated buffers on several devices is one operation. The file ends at the check, if the history has one. All other
 * facts are lost, and {@link #losses()} counts them.
 *
 * <p>Such a file has one buffer at an address and no view. If reports were lost, or a buffer remains that the file cannot
 * hold, a capture has no {@code capture_end}, and a database has a mark in {@code report_metadata}. A verdict on the file is
 * then never {@code LEAK_FREE}.
 *
 * <p>Immutable and safe for use by several threads. {@code docs/runtime-outputs.md} describes the formats.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RuntimeOutputWriter {

    /** Writes the selected part of a history. */
    private interface Writing {
        void write(WritableHistory history, OutputStream file) throws IOException;
    }

    private final WritableHistory history;
    private final Writing writing;

    private RuntimeOutputWriter(WritableHistory history, Writing writing) {
        this.history = history;
        this.writing = writing;
    }

    /** Returns a writer of a graph capture: an array of nodes in the newest encoding. */
    public static RuntimeOutputWriter graphCapture(AllocationHistory history) {
        return new RuntimeOutputWriter(WritableHistory.forCapture(history), GraphWriter::write);
    }

    /**
     * Returns a writer of a report database of schema 3.1, with the graph and the call stack of each operation.
     *
     * <p>It needs the library {@code org.xerial:sqlite-jdbc}. Of a call stack, a database has the files, lines and
     * methods.
     *
     * @throws IllegalArgumentException if the database would have more than 50 million rows of
     *     allocated buffers
     */
    public static RuntimeOutputWriter reportDatabase(AllocationHistory history) {
        WritableHistory writable = WritableHistory.forDatabase(history);
        DatabaseDraft.rejectTooManyRows(writable);
        return new RuntimeOutputWriter(writable, DatabaseDraft::write);
    }

    /**
     * Returns the counts of what the file does not hold, by a noun for one such fact: {@code view}, {@code witness snapshot}.
     *
     * @return the counts, each at least 1; empty if the file holds everything
     */
    public Map<String, Long> losses() {
        return history.losses();
    }

    /**
     * Writes a file and replaces an existing one as a whole.
     *
     * @throws IOException if it cannot be written; an existing file then remains
     */
    public void write(Path file) throws IOException {
        FileReplacement.write(file, (FileReplacement.Content<IOException>) this::write);
    }

    /**
     * Writes the bytes of the file; the stream stays open.
     *
     * @throws IOException if the stream cannot be written, or the library for databases is missing
     */
    public void write(OutputStream file) throws IOException {
        writing.write(history, file);
    }
}
