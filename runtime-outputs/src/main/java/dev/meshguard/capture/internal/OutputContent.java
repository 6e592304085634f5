package dev.meshguard.capture.internal;

import dev.meshguard.capture.CircularBufferUse;
import dev.meshguard.capture.PeakMemory;
import dev.meshguard.capture.RemainingBuffer;
import java.util.List;
import java.util.OptionalInt;

/**
 * The content of a file that the runtime wrote.
 *
 * @param rank the rank of the process, if the file names one
 * @param recording the events of its buffers
 * @param records the number of nodes, or of operations
 * @param reports the number of records that report a buffer
 * @param remaining the buffers that are allocated at the end
 * @param circularBuffers the circular buffers of each device
 * @param peaks the largest amounts of memory at a time
 * @param notes the notes for a reader of the verdict
 */
public record OutputContent(
        OptionalInt rank,
        Recording recording,
        long records,
        long reports,
        List<RemainingBuffer> remaining,
        List<CircularBufferUse> circularBuffers,
        PeakMemory peaks,
        List<String> notes) {}
