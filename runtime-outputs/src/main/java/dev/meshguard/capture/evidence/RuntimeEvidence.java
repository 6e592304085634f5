package dev.meshguard.capture.evidence;

import dev.meshguard.capture.compression.internal.DecompressedInput;
import dev.meshguard.capture.evidence.internal.DecompressedContent;
import dev.meshguard.capture.evidence.internal.MemoryReportParser;
import dev.meshguard.capture.evidence.internal.SharedMemoryParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A snapshot of memory that the runtime wrote: one moment, and no events.
 *
 * <p>The content of a file decides what it is:
 *
 * <ul>
 *   <li>a {@link MemoryReport}, the memory of one device at one moment;
 *   <li>{@link SharedMemoryStatistics}, the totals of a device and its processes.
 * </ul>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface RuntimeEvidence permits MemoryReport, SharedMemoryStatistics {

    /** Returns the name of the file. */
    String name();

    /** Returns whether any memory is allocated. */
    boolean hasAllocatedMemory();

    /** Returns the notes for a reader, as whole sentences. */
    List<String> notes();

    /**
     * Reads a file, plain or compressed with gzip; it may be a pipe.
     *
     * @throws IOException if the file cannot be read, is neither of these, or is shared memory of another version; the message
     *     says what to do
     */
    static RuntimeEvidence read(Path file) throws IOException {
        try (InputStream input = DecompressedInput.open(file)) {
            return read(input, file.toString());
        }
    }

    /**
     * Reads a stream, plain or compressed with gzip, up to its end or 16 MiB without compression; it stays open.
     *
     * @param name the name of the file in messages
     * @throws IOException as {@link #read(Path)} does
     */
    static RuntimeEvidence read(InputStream file, String name) throws IOException {
        DecompressedContent content = new DecompressedContent(file, 1 << 24);
        if (SharedMemoryParser.isSharedMemory(content.bytes())) {
            return SharedMemoryParser.parse(content.bytes(), name);
        }
        if (MemoryReportParser.isMemoryReport(content.text())) {
            return MemoryReportParser.parse(content.text(), content.damage(), name);
        }
        throw new IOException(content.damage()
                .orElse("it is neither a memory report nor the shared memory of a device."
                        + " Give a file that dump_device_memory_state wrote, or /dev/shm/tt_device_…_memory"));
    }
}
