package dev.meshguard.capture;

import dev.meshguard.capture.evidence.internal.DecompressedContent;
import dev.meshguard.capture.evidence.internal.MemoryReportParser;
import dev.meshguard.capture.evidence.internal.SharedMemoryParser;
import dev.meshguard.capture.internal.GraphJson;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The format of a file that the runtime wrote: a {@link RuntimeOutput} has one of the first two, and a {@link
 * dev.meshguard.capture.evidence.RuntimeEvidence} one of the others.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum OutputFormat {

    /** The JSON of {@code ttnn.graph}: an array of nodes, or a report with one. */
    GRAPH_CAPTURE,

    /** The SQLite database {@code db.sqlite} that ttnn writes for the ttnn-visualizer. */
    REPORT_DATABASE,

    /** A CSV file that {@code ttnn.device.dump_device_memory_state} writes. */
    MEMORY_REPORT,

    /** The statistics that the runtime keeps in {@code /dev/shm}. */
    SHARED_MEMORY;

    private static final String DATABASE = "SQLite format 3\0";

    /**
     * Returns the format of a file, complete or damaged, as far as its first bytes show; empty if it is none of these.
     *
     * @param file the file, plain or compressed, as a stream that supports marks; it is at its beginning again afterwards
     */
    public static Optional<OutputFormat> of(InputStream file) throws IOException {
        DecompressedContent beginning = DecompressedContent.beginning(file);
        if (GraphJson.isGraphCapture(beginning.bytes())) {
            return Optional.of(GRAPH_CAPTURE);
        }
        if (beginning.text().startsWith(DATABASE)) {
            return Optional.of(REPORT_DATABASE);
        }
        if (SharedMemoryParser.isSharedMemory(beginning.bytes())) {
            return Optional.of(SHARED_MEMORY);
        }
        return MemoryReportParser.isMemoryReport(beginning.text()) ? Optional.of(MEMORY_REPORT) : Optional.empty();
    }
}
