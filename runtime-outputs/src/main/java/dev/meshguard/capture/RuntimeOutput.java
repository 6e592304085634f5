package dev.meshguard.capture;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.HistorySource;
import java.util.List;
import java.util.OptionalInt;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A file that tt-metal or ttnn wrote: the history of the buffers that were allocated while it was recorded.
 *
 * <p>The content of the file decides on its {@linkplain OutputFormat format}: a graph capture
 * ({@code ttnn.graph.end_graph_capture}, {@code end_graph_capture_to_file}) or the database of a report
 * ({@code db.sqlite}).
 *
 * <pre>{@code
 * RuntimeOutput output = RuntimeOutputReader.create().read(Path.of("graph.json"));
 * LeakVerdict verdict = LeakCheck.create().examine(output.history());
 * }</pre>
 *
 * <h2>What an output proves</h2>
 *
 * <p>Recording ends before the device is closed. If all of its buffers were freed, the verdict is {@code LEAK_FREE}. A
 * buffer that remains may be freed later, so the verdict is {@code INCONCLUSIVE}; {@link #remaining()} names these
 * buffers and their tensors. {@link RuntimeOutputReader} reads it for a check of its end.
 *
 * <h2>Limits</h2>
 *
 * <p>Buffers from before the recording are counted and never blamed. Only buffers that own their memory appear, once for
 * each mesh device and not for each chip. Circular buffers are not in the history: their devices have other numbers and
 * their sizes are those of one core. An output contains no process, no thread, no time of an event, and no reason of a
 * free. A database contains snapshots and no events: a buffer that lives only within an operation is not in it.
 *
 * <p>Records that contradict each other, or are missing, are {@linkplain AllocationHistory#lostReports() lost reports} of
 * the history, which make a verdict inconclusive. What was skipped is counted in {@link #notes()}.
 *
 * <p>Immutable and safe for use by several threads. {@code docs/runtime-outputs.md} describes the formats.
 *
 * @param name the name of the file, with the number of the capture if it has several
 * @param format the format of the file
 * @param rank the rank of the process that recorded it; empty if the file does not name one
 * @param history the events of the buffers that were allocated while it was recorded
 * @param records the number of nodes of a capture, or of operations of a database
 * @param reports the number of nodes that report the allocation or the free of a buffer, or of buffers in all snapshots
 * @param remaining the buffers that are still allocated at the end of the recording, in the order of allocation
 * @param notes the notes for a reader of the verdict, as whole sentences: the limits of the file, and what was skipped
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RuntimeOutput(
        String name,
        OutputFormat format,
        OptionalInt rank,
        AllocationHistory history,
        long records,
        long reports,
        List<RemainingBuffer> remaining,
        List<String> notes)
        implements HistorySource {

    /** Creates the record with its own copies of the lists. */
    public RuntimeOutput {
        remaining = List.copyOf(remaining);
        notes = List.copyOf(notes);
    }
}
