package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns the buffers that are allocated at the end of each operation into a history.
 *
 * <p>A buffer that was not in the last snapshot was allocated in the operation, or between the two. The operation is named
 * only if its graph or its results show that it was in the operation.
 */
final class SnapshotRecorder {

    private static final String NO_NAME = "an operation without a name";

    /** The operations that free one buffer. */
    private static final Set<String> FREES = Set.of("ttnn.deallocate", "ttnn::deallocate", "Tensor::deallocate");

    private static final long NEVER = Long.MIN_VALUE;

    /** A call in Python. */
    interface Call {

        /** Reads its stack; empty if the database does not have it. */
        Optional<Origin> origin() throws SQLException;
    }

    private static final class Live {
        private final Memory memory;
        private final long bankSize;
        private final BufferTensors tensors = new BufferTensors();
        private boolean isFromBefore;
        private boolean isOfRuntime;
        private long size;
        private Optional<String> operation = Optional.empty();
        private Optional<Origin> origin = Optional.empty();
        /** The operation whose snapshot had it last. */
        private long seen;

        private Live(Memory memory, long bankSize, long seen) {
            this.memory = memory;
            this.bankSize = bankSize;
            this.seen = seen;
        }
    }

    private record Result(long tensor, Optional<String> shape) {}

    private final OutputRecording recording;
    private final CaptureNotes notes;

    private final Map<Memory, Live> live = new LinkedHashMap<>();

    // The operation that is being read.
    private long operation;
    private String shortName = "";
    private String name = "";
    private boolean hasCrashed;
    private long rows;
    private final Map<Memory, Live> fresh = new LinkedHashMap<>();
    private List<Live> gone = List.of();
    private final Map<Memory, List<Result>> results = new HashMap<>();
    private final Set<Memory> inputs = new HashSet<>();

    // The whole recording.
    private long allRows;
    private boolean hasSnapshot;
    private boolean lastHasNone;
    private long withoutSnapshot;
    private long fromBefore;
    private long freedFromBefore;
    private long ofFullestBank;

    SnapshotRecorder(ReadingCriteria criteria) {
        recording =
                new OutputRecording(SourceDescription.of("report database").inferringFrees(), criteria, "recording");
        notes = recording.notes();
    }

    CaptureNotes notes() {
        return notes;
    }

    /** Returns the name of an operation with its number. */
    static String name(long operation, @Nullable String name) {
        return nameOf(name) + " (operation " + operation + ")";
    }

    private static String nameOf(@Nullable String name) {
        return name == null || name.isBlank() ? NO_NAME : name;
    }

    private boolean hasName() {
        return !shortName.equals(NO_NAME);
    }

    /**
     * Begins an operation.
     *
     * @param crashed whether the process ended in it
     */
    void operationBegan(long id, @Nullable String newName, boolean crashed) {
        operation = id;
        shortName = nameOf(newName);
        name = name(id, newName);
        hasCrashed = crashed;
        rows = 0;
        fresh.clear();
        gone = List.of();
        results.clear();
        inputs.clear();
        recording.operationBegan(shortName);
    }

    /** Records a tensor of the operation; inputs come before results. */
    void tensor(boolean isResult, long id, Optional<String> shape, Memory memory) {
        if (isResult) {
            results.computeIfAbsent(memory, first -> new ArrayList<>()).add(new Result(id, shape));
            return;
        }
        inputs.add(memory);
        Live buffer = live.get(memory);
        if (buffer != null) {
            buffer.tensors.add(OptionalInt.empty(), OptionalLong.of(id), shape, List.of(name));
        }
    }

    /** Records a buffer of the snapshot at the end of the operation. */
    void buffer(Memory memory, long bankSize) {
        rows++;
        Live known = live.get(memory);
        if (known != null && known.bankSize == bankSize) {
            known.seen = operation;
        } else {
            Live other = fresh.put(memory, new Live(memory, bankSize, operation));
            if (other != null && other.bankSize != bankSize) {
                lost(1, "the snapshot after %s has two %s buffers at 0x%x", name, memory.type(), memory.address());
            }
        }
    }

    /** Records that the graph of the operation cannot be read. */
    void unreadableGraph() {
        lost(-1, "the captured_graph of %s is damaged", name);
    }

    /** Records that a row of the snapshot cannot be read. */
    void unreadableBuffer() {
        rows++;
        lost(1, "the table buffers has a row for %s without valid numbers", name);
    }

    /**
     * Compares the snapshot with the last one.
     *
     * @param call the call of the operation, which is read if the operation allocated a buffer
     */
    void operationEnded(OperationGraph graph, Call call) throws SQLException {
        allRows += rows;
        lastHasNone = rows == 0 && !isEmptyFor(graph);
        if (lastHasNone) {
            withoutSnapshot++;
        } else {
            compared(graph, call);
        }
    }

    private void compared(OperationGraph graph, Call call) throws SQLException {
        renewed(graph);
        missing(graph);
        gone = live.values().stream().filter(buffer -> buffer.seen != operation).toList();
        gone.stream().filter(buffer -> graph.freedOnlyOthersAt(buffer.memory)).forEach(this::contradicted);
        gone.stream().filter(buffer -> !graph.freed(buffer.memory)).forEach(buffer -> freed(buffer, false));
        gone.stream().filter(buffer -> graph.freed(buffer.memory)).forEach(buffer -> freed(buffer, true));

        List<Live> unproven = fresh.values().stream()
                .filter(buffer -> !isAllocatedIn(graph, buffer))
                .toList();
        unproven.forEach(this::allocatedBefore);
        unproven.forEach(buffer -> fresh.remove(buffer.memory));
        Optional<Origin> origin = fresh.isEmpty() ? Optional.empty() : call.origin();
        fresh.values().forEach(buffer -> allocated(buffer, graph, origin));
        results.forEach((memory, tensors) -> {
            Live buffer = live.get(memory);
            if (buffer != null) {
                tensors.forEach(tensor -> buffer.tensors.add(
                        OptionalInt.empty(), OptionalLong.of(tensor.tensor), tensor.shape, List.of()));
            }
        });
        hasSnapshot |= rows > 0;
    }

    /** Records that an exception left the operation. */
    void exception(String reason) {
        recording.unreturned(
                name,
                fresh.values().stream().filter(buffer -> buffer.isOfRuntime).count());
        notes.exception(name, reason, () -> RejectionExplanation.of(reason, () -> Optional.of(buffers())));
    }

    private RejectionExplanation.Buffers buffers() {
        return new RejectionExplanation.Buffers(
                "recording",
                live.values().stream().map(SnapshotRecorder::holder).toList(),
                gone.stream().map(SnapshotRecorder::holder).toList(),
                List.of());
    }

    private static MemoryHolder holder(Live buffer) {
        return new MemoryHolder(
                buffer.memory.type(),
                buffer.memory.address(),
                Math.max(buffer.size, buffer.bankSize),
                buffer.memory.device(),
                RejectionExplanation.label(buffer.tensors.all()),
                () -> buffer.origin,
                buffer.operation.map(by -> "of " + by).orElse("of an unknown operation"));
    }

    /** A snapshot without rows means that nothing is allocated, or that none was taken: a result must be in one. */
    private boolean isEmptyFor(OperationGraph graph) {
        return !hasCrashed
                && results.isEmpty()
                && (live.values().stream().allMatch(buffer -> graph.freed(buffer.memory))
                        || (live.size() == 1 && FREES.contains(shortName)));
    }

    /** A buffer that was freed and allocated again at its address looks the same in both snapshots. */
    private void renewed(OperationGraph graph) {
        Set<Memory> newInSnapshot = Set.copyOf(fresh.keySet());
        for (Live buffer : live.values()) {
            if (buffer.seen == operation && mayBeRenewed(graph, buffer.memory, newInSnapshot)) {
                buffer.seen = NEVER;
                fresh.put(buffer.memory, new Live(buffer.memory, buffer.bankSize, operation));
            }
        }
    }

    /** Without a graph, a result at the address of a buffer is new, or the operation worked in place. */
    private boolean mayBeRenewed(OperationGraph graph, Memory memory, Set<Memory> newInSnapshot) {
        return graph.isKnown() ? graph.mayHaveAllocated(memory, newInSnapshot) : results.containsKey(memory);
    }

    /** The snapshot must have what the graph says was allocated; the two may count devices differently. */
    private void missing(OperationGraph graph) {
        Set<Long> absent = new HashSet<>(graph.allocatedAddresses());
        if (!absent.isEmpty()) {
            live.values().stream()
                    .filter(buffer -> buffer.seen == operation)
                    .forEach(buffer -> absent.remove(buffer.memory.address()));
            fresh.keySet().forEach(memory -> absent.remove(memory.address()));
        }
        for (long address : absent) {
            lost(1, "%s allocates a buffer at 0x%x that the snapshot at its end does not have", name, address);
        }
    }

    private void contradicted(Live buffer) {
        lost(
                1,
                "the snapshot after %s does not have the %s buffer at 0x%x, and the operation freed another one at that address",
                name,
                buffer.memory.type(),
                buffer.memory.address());
    }

    private void freed(Live buffer, boolean isInOperation) {
        live.remove(buffer.memory);
        if (buffer.isFromBefore) {
            freedFromBefore++;
            return;
        }
        enter(isInOperation);
        recording.freed(buffer.memory);
    }

    private boolean isAllocatedIn(OperationGraph graph, Live buffer) {
        return graph.allocated(buffer.memory).isPresent()
                || (results.containsKey(buffer.memory) && !inputs.contains(buffer.memory));
    }

    /** Records a buffer of which only the latest time of its allocation is known. */
    private void allocatedBefore(Live buffer) {
        live.put(buffer.memory, buffer);
        if (!hasSnapshot) {
            buffer.isFromBefore = true;
            fromBefore++;
            return;
        }
        enter(false);
        allocated(buffer, OptionalLong.empty(), AllocationDetails.user(), Optional.empty());
    }

    private void allocated(Live buffer, OperationGraph graph, Optional<Origin> origin) {
        live.put(buffer.memory, buffer);
        buffer.operation = Optional.of(name);
        buffer.isOfRuntime = graph.isOfRuntime(buffer.memory) && !results.containsKey(buffer.memory);
        AllocationDetails details = detailsOf(buffer);
        Optional<String> shape = results.getOrDefault(buffer.memory, List.of()).stream()
                .flatMap(result -> result.shape.stream())
                .findFirst();
        enter(true);
        allocated(
                buffer,
                graph.allocated(buffer.memory),
                shape.map(details::labelled).orElse(details),
                origin);
    }

    private AllocationDetails detailsOf(Live buffer) {
        if (buffer.isOfRuntime) {
            return OutputRecording.ofRuntime(shortName);
        }
        return hasName()
                ? AllocationDetails.user().ownedBy(new Owner(Owner.Kind.OTHER, shortName))
                : AllocationDetails.user();
    }

    private void allocated(Live buffer, OptionalLong size, AllocationDetails details, Optional<Origin> origin) {
        ofFullestBank += size.isPresent() ? 0 : 1;
        buffer.size = size.orElse(buffer.bankSize);
        buffer.origin = origin;
        recording.allocated(buffer.memory, buffer.size, MemoryRequest.restored(details, origin));
    }

    private void enter(boolean isInOperation) {
        recording.enter(new Phase(isInOperation ? name : name + " or before"));
    }

    private void lost(long count, String reason, Object... values) {
        recording.lost(count, String.format(Locale.ROOT, reason, values));
    }

    OutputContent finish(OptionalInt rank, long operations) {
        List<RemainingBuffer> remaining = live.values().stream()
                .filter(buffer -> !buffer.isFromBefore)
                .map(SnapshotRecorder::remaining)
                .toList();
        recording.endRound();
        if (allRows == 0) {
            lost(-1, "the database has no snapshot: its table buffers is empty");
        } else if (lastHasNone) {
            lost(-1, "no snapshot follows %s, so it is not known what was allocated after it", name);
        }
        long ofRuntime =
                live.values().stream().filter(buffer -> buffer.isOfRuntime).count();
        recording.stop(remaining.size() - ofRuntime, ofRuntime);
        addNotes();
        return recording.end(rank, operations, allRows, remaining);
    }

    private static RemainingBuffer remaining(Live buffer) {
        return new RemainingBuffer(
                OptionalInt.empty(),
                buffer.memory.device(),
                buffer.memory.type(),
                OptionalLong.of(buffer.memory.address()),
                buffer.size,
                buffer.operation,
                buffer.origin,
                buffer.tensors.all());
    }

    private void addNotes() {
        notes.add("A database has snapshots after each operation: what was freed before the next one is not in it.");
        if (fromBefore > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "Buffers of the first snapshot that its operation did not demonstrably allocate are not judged: %d, of"
                            + " which %d freed.",
                    fromBefore,
                    freedFromBefore));
        }
        notes.add(
                ofFullestBank,
                "1 buffer has",
                "%d buffers have",
                " the size of the fullest bank, because no captured_graph has the whole size.");
        notes.add(withoutSnapshot, "1 operation has", "%d operations have", " no snapshot.");
    }
}
