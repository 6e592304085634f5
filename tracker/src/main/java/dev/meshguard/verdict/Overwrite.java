package dev.meshguard.verdict;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.expectation.Expectation;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A buffer whose contents were overwritten, or that was used after its free, on one device.
 *
 * <p>It is no leak, and the reported counts are right. On hardware the data is lost. A replay counts as writing everything that its
 * mesh allocated during the capture, because reports do not say which operations wrote where.
 *
 * <p>Ranges are compared as the allocators reserve them: in every bank, also in those that hold no data of a sharded buffer. The
 * runtime compares circular buffers with L1 buffers in the same way. Immutable. Source of what a replay uses:
 * {@code tt_metal/distributed/mesh_trace.cpp}.
 *
 * @param kind what happened to it
 * @param buffer the buffer whose data is lost; of {@link Kind#FREED_BEFORE_REPLAY}, the one that was freed
 * @param writer the report of the buffer whose data was written there; empty if none was
 * @param trace the trace whose replay did it; empty for {@link Kind#BY_OTHER_ALLOCATOR}
 * @param event the first event that did it: a {@link HistoryEvent.TraceReplayed}, or the {@link HistoryEvent.Allocated} of the
 *     other allocator
 * @param times how many events did it, at least 1
 * @param bytes the bytes of each bank that are concerned, at least 1; exactly 1 if the extent of a buffer is not known
 * @param expectation the entry that permits it, if one does
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Overwrite(
        Kind kind,
        BufferGeneration buffer,
        Optional<BufferGeneration.Report> writer,
        Optional<Owner> trace,
        HistoryEvent event,
        long times,
        long bytes,
        Optional<Expectation> expectation) {

    /** What happened to a buffer. */
    public enum Kind {
        /** A replay wrote to memory that its trace used when it was captured, and that has been allocated for the buffer since. */
        BY_REPLAY,
        /** Two replays that may have run at a time used the same memory. */
        BY_REPLAY_IN_FLIGHT,
        /** A replay read the buffer, which had been freed. */
        FREED_BEFORE_REPLAY,
        /** Another allocator reserved the memory while the buffer held it. */
        BY_OTHER_ALLOCATOR
    }

    /** Returns this for an entry that permits it. */
    public Overwrite expectedBy(Expectation entry) {
        return new Overwrite(kind, buffer, writer, trace, event, times, bytes, Optional.of(entry));
    }

    /**
     * Returns whether another finding is of the same buffer and the same trace or, without a trace, of the same event. The two may
     * be of histories of one tracker that hold different numbers of replays.
     */
    @SuppressWarnings("ReferenceEquality") // Histories of one tracker share its requests.
    public boolean isSameLossAs(Overwrite other) {
        return kind == other.kind
                && buffer.request() == other.buffer.request()
                && buffer.hasSameAddressAs(other.buffer)
                && trace.equals(other.trace)
                && (trace.isPresent() || event.number() == other.event.number());
    }

    /** Returns whether the allocators of both buffers belong to meshes, as far as is known. */
    public boolean isOfTwoMeshes() {
        return event instanceof HistoryEvent.Allocated later
                && isOfMesh(later.details().allocator())
                && isOfMesh(buffer.allocator());
    }

    private static boolean isOfMesh(Optional<AllocatorId> allocator) {
        return allocator.filter(known -> known.kind() != AllocatorId.Kind.MESH).isEmpty();
    }

    /** Returns whether an entry permits it. */
    public boolean isExpected() {
        return expectation.isPresent();
    }
}
