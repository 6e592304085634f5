package dev.meshguard.verification.corpus.writing;

import dev.meshguard.history.AllocationHistory;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/**
 * Writes a history as a file that the runtime could have written.
 *
 * <p>Each generation of a buffer is written once, with its device, memory, address and size, where it was allocated and
 * where its last report was freed. The owner of the buffer becomes the operation that allocated it. A call that
 * allocated buffers on several devices is one operation. The file ends at the check, if the history has one. All other
 * facts are lost, and {@link #losses()} counts them.
 *
 * <p>Such a file has one buffer at an address and no view. If reports were lost, or a buffer remains that the file cannot
 * hold, a capture has no {@code capture_end}, and a database has a buffer without numbers. A verdict on the file is then
 * never {@code LEAK_FREE}.
 */
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
     * <p>Of a call stack, a database has the files, lines and methods.
     */
    public static RuntimeOutputWriter reportDatabase(AllocationHistory history) {
        return new RuntimeOutputWriter(WritableHistory.forDatabase(history), DatabaseWriter::write);
    }

    /**
     * Returns the counts of what the file does not hold, by a noun for one such fact: {@code view}, {@code witness snapshot}.
     *
     * @return the counts, each at least 1; empty if the file holds everything
     */
    public Map<String, Long> losses() {
        return history.losses();
    }

    /** Writes the bytes of the file; the stream stays open. */
    public void write(OutputStream file) throws IOException {
        writing.write(history, file);
    }
}
