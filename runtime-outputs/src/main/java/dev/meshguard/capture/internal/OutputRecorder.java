package dev.meshguard.capture.internal;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reports what a file contains to a tracker, with a round from each marked operation to the next.
 *
 * <p>A file contains neither the time of an event nor how many banks a buffer lies in.
 *
 * @param <B> the buffers of the file
 */
abstract class OutputRecorder<B extends RecordedBuffer> {

    /** The request of every free, of which a file contains nothing but the address. */
    private static final MemoryRequest RELEASE = MemoryRequest.of(AllocationDetails.user());

    private final AllocationTracker tracker =
            AllocationTracker.builder().ofFile().build();

    final CaptureNotes notes;
    private final ReadingCriteria criteria;
    private final String noun;
    private final Map<String, AllocationDetails> details = new HashMap<>();
    /** Allocated and not freed, in the order of allocation. */
    private final Map<RecordedAddress, B> live = new LinkedHashMap<>();

    /** The current phase. */
    Phase phase = Phase.START;

    private int rounds;
    private Scope round = () -> {};

    /**
     * Creates a recorder without operations.
     *
     * @param noun the word for the recording
     */
    OutputRecorder(SourceDescription source, ReadingCriteria criteria, String noun) {
        this.criteria = criteria;
        this.noun = noun;
        notes = new CaptureNotes(noun);
        tracker.sourceAttached(source);
    }

    /** Adds an outermost operation; if it is marked, a round begins. */
    void operationBegan(String name) {
        if (criteria.beginsRound(name)) {
            round.close();
            rounds++;
            round = tracker.round(rounds);
        }
    }

    /** Begins a phase, unless it is the current one. */
    void enter(Phase next) {
        if (!next.equals(phase)) {
            phase = next;
            tracker.phase(next);
        }
    }

    /** Returns the buffer that is allocated at a place; null if there is none. */
    @Nullable
    B at(@Nullable RecordedAddress memory) {
        return live.get(memory);
    }

    /** Returns the places at which buffers are allocated. */
    Set<RecordedAddress> places() {
        return Collections.unmodifiableSet(live.keySet());
    }

    /** Returns the buffers that are allocated, in the order of allocation. */
    Stream<B> live() {
        return live.values().stream();
    }

    private List<B> remaining() {
        return live().filter(buffer -> !buffer.isFromBefore).toList();
    }

    /** Records an allocation by an operation, unless its name is not known, at a place where none is allocated. */
    void recordAllocation(B buffer, Optional<String> operation, Optional<String> label) {
        AllocationDetails all = operation
                .map(name -> buffer.isOfRuntime ? ofRuntime(name) : details.computeIfAbsent(name, OutputRecorder::of))
                .orElse(AllocationDetails.user());
        buffer.details = label.map(all::labelled).orElse(all);
        live.put(buffer.memory(), buffer);
        if (!buffer.isFromBefore) {
            RecordedAddress memory = buffer.memory();
            tracker.allocated(buffer, memory.device(), memory.type(), memory.address(), buffer.size, Ownership.OWNING);
        }
    }

    private static AllocationDetails of(String operation) {
        return AllocationDetails.user().ownedBy(new Owner(Owner.Kind.OTHER, operation));
    }

    private static AllocationDetails ofRuntime(String operation) {
        return of("the runtime, for " + operation).withLifetime(BufferLifetime.PERSISTENT);
    }

    void recordFree(B buffer) {
        live.remove(buffer.memory());
        if (!buffer.isFromBefore) {
            RecordedAddress memory = buffer.memory();
            tracker.freed(RELEASE, memory.device(), memory.type(), memory.address(), Ownership.OWNING);
        }
    }

    /** Records lost reports, unless there are none; a negative count means that their number is not known. */
    void lost(long count, String reason) {
        if (count != 0) {
            tracker.reportsLost(count, reason);
        }
    }

    /** Records that an operation did not return: its result has no tensor, and memory of the runtime has none either. */
    void recordUnreturned(String operation, long withoutTensor) {
        lost(
                withoutTensor > 0 ? -1 : 0,
                operation + " did not return, so it is not known whose its " + Quantities.count(withoutTensor, "buffer")
                        + " without a tensor are");
    }

    /**
     * Notes that an exception left an operation, with the buffers in the way of a request that was rejected.
     *
     * @param freed the buffers that the operation freed
     */
    void recordException(String operation, String reason, Stream<B> freed) {
        notes.exception(operation, reason, range -> {
            List<RecordedBuffer> all = new ArrayList<>(live.values());
            if (range.from() != 0
                    && all.stream().noneMatch(buffer -> buffer.memory().address() == range.from())) {
                freed.forEach(all::add); // The exception may have freed the buffer that the text names.
            }
            return Optional.of(all.stream()
                    .filter(buffer -> range.contains(
                            buffer.memory().type(), buffer.memory().address()))
                    .map(RecordedBuffer::holder)
                    .toList());
        });
    }

    /** Ends the last round, and ends tracking, unless the criteria judge the end. */
    void stop() {
        round.close();
        long ofRuntime =
                remaining().stream().filter(buffer -> buffer.isOfRuntime).count();
        long remaining = remaining().size() - ofRuntime;
        if (remaining > 0 && !criteria.judgesEnd()) {
            notes.add(
                    remaining,
                    "%d [buffer is|buffers are] still allocated at the end of the " + noun
                            + "; the device was not closed. Weights and caches always are.");
            tracker.trackingStopped("the " + noun + " ended before the device was closed");
        }
        notes.add(
                ofRuntime,
                "%d [buffer was|buffers were] allocated without a tensor inside an operation, owned by the runtime, which keeps"
                        + " such memory with its cached programs.");
    }

    /** Adds the notes and the check, and returns the output with the history. */
    RuntimeOutput end(String name, OutputFormat format, OptionalInt rank, long records, long reports) {
        List<String> all = notes.all();
        all.forEach(tracker::sourceNoted);
        tracker.checked(LocalDate.now(ZoneOffset.UTC));
        return new RuntimeOutput(
                name,
                format,
                rank,
                tracker.history(),
                records,
                reports,
                remaining().stream().map(RecordedBuffer::remaining).toList(),
                all);
    }
}
