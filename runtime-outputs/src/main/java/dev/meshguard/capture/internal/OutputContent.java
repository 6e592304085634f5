package dev.meshguard.capture.internal;

import dev.meshguard.capture.CircularBufferUse;
import dev.meshguard.capture.PeakMemory;
import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The content of a file that the runtime wrote.
 *
 * @param rank the rank of the process, if the file names one
 * @param time when it was recorded, if the file says so
 * @param evidence what a database of the same run needs of a capture
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
        Optional<CaptureTime> time,
        Optional<CaptureEvidence> evidence,
        OperationHistory recording,
        long records,
        long reports,
        List<RemainingBuffer> remaining,
        List<CircularBufferUse> circularBuffers,
        PeakMemory peaks,
        List<String> notes) {

    /** Returns this content with what a database of the same run adds to it. */
    OutputContent joinedWith(JoinedDatabase database) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(database.notes());
        OperationHistory joined = recording.joined(database);
        return new OutputContent(
                rank,
                time,
                evidence,
                joined,
                records,
                reports,
                database.origins().isEmpty() ? remaining : withOrigins(joined.history()),
                circularBuffers,
                peaks,
                all);
    }

    private List<RemainingBuffer> withOrigins(AllocationHistory history) {
        Map<Memory, Optional<Origin>> origins = new HashMap<>();
        for (BufferGeneration buffer : history.live()) {
            origins.put(new Memory(buffer.device(), buffer.type(), buffer.address()), buffer.origin());
        }
        return remaining.stream()
                .map(buffer -> new RemainingBuffer(
                        buffer.node(),
                        buffer.device(),
                        buffer.type(),
                        buffer.address(),
                        buffer.size(),
                        buffer.operation(),
                        origins.getOrDefault(
                                new Memory(
                                        buffer.device(),
                                        buffer.type(),
                                        buffer.address().orElse(buffer.node().orElse(0))),
                                Optional.empty()),
                        buffer.tensors()))
                .toList();
    }

    /** Returns this content without what is needed only while files are joined. */
    public OutputContent withoutEvidence() {
        return evidence.isEmpty()
                ? this
                : new OutputContent(
                        rank,
                        time,
                        Optional.empty(),
                        recording,
                        records,
                        reports,
                        remaining,
                        circularBuffers,
                        peaks,
                        notes);
    }
}
