package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * Reports what a file contains to a tracker, with a round from each marked operation to the next.
 *
 * <p>A file contains neither the time of an event nor how many banks a buffer lies in.
 */
final class OutputRecording {

    /** The request of every free, of which a file contains nothing but the address. */
    private static final MemoryRequest RELEASE = MemoryRequest.of(AllocationDetails.user());

    private final AllocationTracker tracker =
            AllocationTracker.builder().ofFile().build();

    private final CaptureNotes notes = new CaptureNotes();
    private final ReadingCriteria criteria;
    private final String noun;
    private Phase phase = Phase.START;
    private int rounds;
    private Scope round = () -> {};

    /**
     * Creates a recording without operations.
     *
     * @param noun the word for it
     */
    OutputRecording(SourceDescription source, ReadingCriteria criteria, String noun) {
        this.criteria = criteria;
        this.noun = noun;
        tracker.sourceAttached(source);
    }

    CaptureNotes notes() {
        return notes;
    }

    /** Adds an outermost operation; if it is marked, a round begins. */
    void operationBegan(String name) {
        if (criteria.beginsRound(name)) {
            round.close();
            rounds++;
            round = tracker.round(rounds);
        }
    }

    /** Ends the last round, if there is one. */
    void endRound() {
        round.close();
    }

    /** Begins a phase, unless it is the current one. */
    void enter(Phase next) {
        if (!next.equals(phase)) {
            phase = next;
            tracker.phase(next);
        }
    }

    Phase phase() {
        return phase;
    }

    void allocated(Memory memory, long size, MemoryRequest request) {
        tracker.allocated(request, memory.device(), memory.type(), memory.address(), size, Ownership.OWNING);
    }

    void freed(Memory memory) {
        tracker.freed(RELEASE, memory.device(), memory.type(), memory.address(), Ownership.OWNING);
    }

    void lost(long count, String reason) {
        tracker.reportsLost(count, reason);
    }

    /** Returns the details of memory that the runtime allocates for itself in an operation. */
    static AllocationDetails ofRuntime(String operation) {
        return AllocationDetails.user()
                .withLifetime(BufferLifetime.PERSISTENT)
                .ownedBy(new Owner(Owner.Kind.OTHER, "the runtime, for " + operation));
    }

    /** Records that an operation did not return: its result has no tensor, and memory of the runtime has none either. */
    void unreturned(String operation, long withoutTensor) {
        if (withoutTensor > 0) {
            lost(
                    -1,
                    String.format(
                            Locale.ROOT,
                            "%s did not return, so it is not known whose its %s without a tensor are",
                            operation,
                            Quantities.count(withoutTensor, "buffer")));
        }
    }

    /**
     * Ends tracking, unless the criteria judge the end.
     *
     * @param remaining how many buffers remain that may be freed later
     * @param ofRuntime how many buffers of the runtime remain
     */
    void stop(long remaining, long ofRuntime) {
        if (remaining > 0 && !criteria.judgesEnd()) {
            notes.add(
                    remaining,
                    "1 buffer is",
                    "%d buffers are",
                    " still allocated at the end of the " + noun
                            + "; the device was not closed. Weights and caches always are.");
            tracker.trackingStopped("the " + noun + " ended before the device was closed");
        }
        notes.add(
                ofRuntime,
                "1 buffer was",
                "%d buffers were",
                " allocated without a tensor inside an operation, owned by the runtime, which keeps such memory with its"
                        + " cached programs.");
    }

    /** Adds the notes and the check, and returns the content with the history. */
    OutputContent end(OptionalInt rank, long records, long reports, List<RemainingBuffer> remaining) {
        List<String> all = notes.all();
        all.forEach(tracker::sourceNoted);
        tracker.checked(criteria.today());
        return new OutputContent(rank, tracker.history(), records, reports, remaining, all);
    }
}
