package dev.meshguard.capture;

import dev.meshguard.capture.internal.CaptureResult;
import dev.meshguard.capture.internal.GraphParser;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.HistorySource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A parsed graph capture of tt-metal: the history of the buffers that were allocated in it.
 *
 * <p>Reads what {@code ttnn.graph.end_graph_capture} and {@code end_graph_capture_to_file} give: an array of nodes, or a
 * report that contains one.
 *
 * <pre>{@code
 * GraphCapture capture = GraphCapture.read(Path.of("graph.json"));
 * LeakVerdict verdict = LeakCheck.create().examine(capture.history());
 * }</pre>
 *
 * <h2>What a capture proves</h2>
 *
 * <p>A capture ends before the device is closed. If all of its buffers were freed, the verdict is {@code LEAK_FREE}. A
 * buffer that remains may be freed later, so the verdict is {@code INCONCLUSIVE}; {@link #remaining()} names these
 * buffers and their tensors. {@link GraphCaptureReader#judgedAtEnd()} judges the end of the capture instead.
 *
 * <h2>Limits of a capture</h2>
 *
 * <p>Buffers from before the capture are counted and never blamed. Only buffers that own their memory appear, once for
 * each mesh device and not for each chip. Circular buffers are in {@link #circularBuffers()} and not in the history: their
 * devices have other numbers and their sizes are those of one core. A capture contains no process, no thread, no time
 * of an event, and no reason of a free.
 *
 * <p>Nodes that contradict each other, or are missing, are {@linkplain AllocationHistory#lostReports() lost reports} of
 * the history, which make a verdict inconclusive. What was skipped is counted in {@link #notes()}.
 *
 * <p>Immutable and safe for use by several threads. {@code docs/runtime-outputs.md} describes the formats.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class GraphCapture implements HistorySource {

    private final String name;
    private final CaptureResult result;

    GraphCapture(String name, CaptureResult result) {
        this.name = name;
        this.result = result;
    }

    /**
     * Reads a capture, plain or compressed with gzip or zstd.
     *
     * @throws IOException if the file cannot be read or is no graph capture; the message says what it is instead
     */
    public static GraphCapture read(Path file) throws IOException {
        return GraphCaptureReader.create().read(file);
    }

    /**
     * Reads a capture, plain or compressed with gzip or zstd, to its end; the stream stays open.
     *
     * @param name the name of the capture in messages
     * @throws IOException as {@link #read(Path)} does
     */
    public static GraphCapture read(InputStream capture, String name) throws IOException {
        return GraphCaptureReader.create().read(capture, name);
    }

    /**
     * Returns whether a file is a graph capture, complete or damaged, as far as its first bytes show.
     *
     * @param beginning the first bytes of the file, plain or compressed; 8 KiB are enough
     */
    public static boolean isGraphCapture(byte[] beginning) {
        return GraphParser.isGraphCapture(beginning);
    }

    /** Returns the name of the capture. */
    public String name() {
        return name;
    }

    /** Returns the history of the buffers that were allocated in the capture. */
    @Override
    public AllocationHistory history() {
        return result.history();
    }

    /** Returns the number of nodes. */
    public long nodes() {
        return result.nodes();
    }

    /** Returns the number of nodes that report the allocation or the free of a buffer. */
    public long reports() {
        return result.reports();
    }

    /** Returns the buffers that are still allocated at the end of the capture, in the order of allocation. */
    public List<RemainingBuffer> remaining() {
        return List.copyOf(result.remaining());
    }

    /** Returns the circular buffers of each device, by its number. */
    public List<CircularBufferUse> circularBuffers() {
        return List.copyOf(result.circularBuffers());
    }

    /** Returns the notes for a reader of the verdict, as whole sentences: the limits of the capture, and what was skipped. */
    public List<String> notes() {
        return List.copyOf(result.notes());
    }
}
