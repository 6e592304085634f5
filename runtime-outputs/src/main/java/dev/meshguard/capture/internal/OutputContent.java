package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.history.AllocationHistory;
import java.util.List;
import java.util.OptionalInt;

/**
 * The content of a file that the runtime wrote.
 *
 * @param rank the rank of the process, if the file names one
 * @param history the events of its buffers
 * @param records the number of nodes, or of operations
 * @param reports the number of records that report a buffer
 * @param remaining the buffers that are allocated at the end
 * @param notes the notes for a reader of the verdict
 */
public record OutputContent(
        OptionalInt rank,
        AllocationHistory history,
        long records,
        long reports,
        List<RemainingBuffer> remaining,
        List<String> notes) {}
