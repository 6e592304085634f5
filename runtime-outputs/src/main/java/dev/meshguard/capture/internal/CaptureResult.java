package dev.meshguard.capture.internal;

import dev.meshguard.capture.CircularBufferUse;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.history.AllocationHistory;
import java.util.List;

/**
 * The result of parsing a capture.
 *
 * @param history the history of its buffers
 * @param nodes the number of nodes
 * @param reports the number of nodes that report a buffer
 * @param remaining the buffers that are allocated at the end
 * @param circularBuffers the circular buffers of each device
 * @param notes the notes for a reader of the verdict
 */
public record CaptureResult(
        AllocationHistory history,
        long nodes,
        long reports,
        List<RemainingBuffer> remaining,
        List<CircularBufferUse> circularBuffers,
        List<String> notes) {}
