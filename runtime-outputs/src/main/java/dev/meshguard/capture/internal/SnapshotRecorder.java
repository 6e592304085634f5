package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceDescription;
import java.sql.SQLException;
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
import java.util.stream.Collectors;

/**
 * Turns the buffers that are allocated at the end of each operation into a history.
 *
 * <p>A buffer that was not in the last snapshot was allocated in the operation, or between the two. The operation is named
 * only if its graph or its results show that it was in the operation.
 */
final class SnapshotRecorder {

    private static final long NO_OPERATION = Long.MIN_VALUE;
    private static final String NO_NAME = "an operation without a name";

    /** The operations that free their input. */
    private static final Set<String> FREES = Set.of("ttnn.deallocate", "ttnn::deallocate", "Tensor::deallocate");

    /** The importer begins the numbers of each further report at a multiple of this. */
    private static final long OPERATIONS_OF_A_REPORT = 10_000;

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
        /** Whether it may be a buffer from before, which snapshots in between do not have. */
        private boolean isDoubtful;

        private long size;
        private Optional<String> operation = Optional.empty();
        private Optional<Origin> origin = Optional.empty();

        private Live(Memory memory, long bankSize) {
            this.memory = memory;
            this.bankSize = bankSize;
        }
    }

    private final OutputRecording recording;
    private final CaptureNotes notes;

    private final Map<Memory, Live> live = new LinkedHashMap<>();

    // The operation that is being read.
    private long operation = NO_OPERATION;
    private String shortName = "";
    private String name = "";
    private boolean hasFailed;
    private long rows;
    private boolean isWhole;
    /** The sizes in the snapshot at its end. */
    private final Map<Memory, Long> snapshot = new LinkedHashMap<>();

    private final Map<Memory, BufferTensors> results = new HashMap<>();
    private final Set<Memory> inputs = new HashSet<>();
    private List<Live> fresh = List.of();
    private List<Live> gone = List.of();

    // The whole recording.
    private long allRows;
    private boolean hasSnapshot;
    private boolean lastHasNone;
    /** Whether no snapshot was compared since a further report began. */
    private boolean isOtherReport;

    /** The sizes of buffers from before that a snapshot does not have, though nothing shows that they were freed. */
    private final Map<Memory, Long> vanished = new HashMap<>();

    private String firstUnlisted = "";
    private long unlisted;
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
    static String name(long operation, Optional<String> name) {
        return shortName(name) + " (operation " + operation + ")";
    }

    private static String shortName(Optional<String> name) {
        return name.filter(text -> !text.isBlank()).orElse(NO_NAME);
    }

    /**
     * Begins an operation.
     *
     * @param failed whether the process ended in it, or an exception left it
     */
    void operationBegan(long id, Optional<String> newName, boolean failed) {
        isOtherReport |= operation != NO_OPERATION
                && id > operation + 1
                && id / OPERATIONS_OF_A_REPORT > operation / OPERATIONS_OF_A_REPORT;
        operation = id;
        shortName = shortName(newName);
        name = name(id, newName);
        hasFailed = failed;
        rows = 0;
        isWhole = true;
        snapshot.clear();
        results.clear();
        inputs.clear();
        fresh = List.of();
        gone = List.of();
        recording.operationBegan(shortName);
    }

    /** Records that the operation is not in the table of operations. */
    void unlisted() {
        firstUnlisted = unlisted++ == 0 ? "operation " + operation : firstUnlisted;
    }

    /** Records a tensor of the operation; inputs come before results. */
    void tensor(boolean isResult, long id, Optional<String> shape, Memory memory) {
        if (isResult) {
            results.computeIfAbsent(memory, first -> new BufferTensors())
                    .add(OptionalInt.empty(), OptionalLong.of(id), shape, List.of());
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
        if (snapshot.put(memory, bankSize) != null) {
            lost(1, "the snapshot after %s has two %s buffers at 0x%x", name, memory.type(), memory.address());
        }
    }

    /** Records that the graph of the operation cannot be read. */
    void unreadableGraph() {
        lost(-1, "the captured_graph of %s is damaged", name);
    }

    /** Records that a row of the snapshot cannot be read. */
    void unreadableBuffer() {
        rows++;
        isWhole = false;
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
        missing(graph);
        Set<Memory> changed = snapshot.entrySet().stream()
                .filter(row -> !live.containsKey(row.getKey()) || live.get(row.getKey()).bankSize != row.getValue())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        gone = live.values().stream()
                .filter(buffer -> snapshot.containsKey(buffer.memory)
                        ? changed.contains(buffer.memory) || mayBeRenewed(graph, buffer.memory, changed)
                        : isWhole || isFreedIn(graph, buffer.memory))
                .toList();
        gone.forEach(buffer -> live.remove(buffer.memory));
        gone.stream().filter(buffer -> graph.freedOnlyOthersAt(buffer.memory)).forEach(this::contradicted);
        ofOtherReport(graph);
        gone.stream()
                .filter(buffer -> buffer.isFromBefore && !isFreedIn(graph, buffer.memory))
                .forEach(buffer -> vanished.put(buffer.memory, buffer.bankSize));
        gone.stream().filter(buffer -> !graph.freed(buffer.memory)).forEach(buffer -> freed(buffer, false));
        gone.stream().filter(buffer -> graph.freed(buffer.memory)).forEach(buffer -> freed(buffer, true));

        List<Live> appeared = snapshot.entrySet().stream()
                .filter(row -> !live.containsKey(row.getKey()))
                .map(row -> new Live(row.getKey(), row.getValue()))
                .toList();
        appeared.stream().filter(buffer -> !isAllocatedIn(graph, buffer.memory)).forEach(this::allocatedBefore);
        fresh = appeared.stream()
                .filter(buffer -> isAllocatedIn(graph, buffer.memory))
                .toList();
        Optional<Origin> origin = fresh.isEmpty() ? Optional.empty() : call.origin();
        fresh.forEach(buffer -> allocated(buffer, graph, origin));
        results.forEach((memory, tensors) -> {
            if (live.containsKey(memory)) {
                live.get(memory).tensors.addAll(tensors);
            }
        });
        hasSnapshot |= rows > 0;
    }

    /**
     * Returns whether an operation without rows shows that nothing is allocated. Otherwise its snapshot may be missing: it must
     * have the results, and each buffer that is not certainly freed.
     */
    private boolean isEmptyFor(OperationGraph graph) {
        return !hasFailed
                && results.isEmpty()
                && (graph.isKnown() || FREES.contains(shortName))
                && live.keySet().stream().allMatch(memory -> isFreedIn(graph, memory));
    }

    private boolean isFreedIn(OperationGraph graph, Memory memory) {
        return graph.freed(memory) || (graph.mayFree() && FREES.contains(shortName) && inputs.contains(memory));
    }

    private boolean isAllocatedIn(OperationGraph graph, Memory memory) {
        return graph.allocated(memory).isPresent() || (results.containsKey(memory) && !inputs.contains(memory));
    }

    /**
     * Returns whether a buffer that is in both snapshots may have been freed and allocated again. Without a graph, a result at
     * its address is new, or the operation worked in place.
     */
    private boolean mayBeRenewed(OperationGraph graph, Memory memory, Set<Memory> changed) {
        return graph.isKnown() ? graph.mayHaveAllocated(memory, changed) : results.containsKey(memory);
    }

    /**
     * Checks that the snapshot has what the operation demonstrably allocated; the graph may count devices differently. A
     * result tells what of the first snapshot is judged.
     */
    private void missing(OperationGraph graph) {
        Set<Long> absent = new HashSet<>(graph.allocatedAddresses());
        if (!absent.isEmpty()) {
            snapshot.keySet().forEach(memory -> absent.remove(memory.address()));
        }
        if (!hasSnapshot) {
            results.keySet().stream()
                    .filter(result -> !inputs.contains(result)
                            && snapshot.keySet().stream()
                                    .noneMatch(memory ->
                                            memory.type() == result.type() && memory.address() == result.address()))
                    .forEach(result -> absent.add(result.address()));
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

    /** The snapshots of a further report may lack the buffers that were allocated before it. */
    private void ofOtherReport(OperationGraph graph) {
        long unknown = gone.stream()
                .filter(buffer -> !buffer.isFromBefore && !isFreedIn(graph, buffer.memory))
                .count();
        if (isOtherReport && unknown > 0) {
            lost(
                    unknown,
                    "the database has several reports, and the first snapshot of the one with %s does not have %s of those before",
                    name,
                    Quantities.count(unknown, "buffer"));
        }
        isOtherReport = false;
    }

    private void freed(Live buffer, boolean isInOperation) {
        if (buffer.isFromBefore) {
            freedFromBefore++;
            return;
        }
        enter(isInOperation);
        recording.freed(buffer.memory);
    }

    /** Records a buffer of which only the latest time of its allocation is known. */
    private void allocatedBefore(Live buffer) {
        if (!hasSnapshot) {
            live.put(buffer.memory, buffer);
            buffer.isFromBefore = true;
            fromBefore++;
            return;
        }
        buffer.isDoubtful = Long.valueOf(buffer.bankSize).equals(vanished.get(buffer.memory));
        enter(false);
        allocated(buffer, OptionalLong.empty(), AllocationDetails.user());
    }

    private void allocated(Live buffer, OperationGraph graph, Optional<Origin> origin) {
        BufferTensors tensors = results.getOrDefault(buffer.memory, new BufferTensors());
        buffer.operation = Optional.of(name);
        buffer.origin = origin;
        buffer.isOfRuntime = graph.isOfRuntime(buffer.memory) && !results.containsKey(buffer.memory);
        AllocationDetails details = buffer.isOfRuntime
                ? OutputRecording.ofRuntime(shortName)
                : shortName.equals(NO_NAME)
                        ? AllocationDetails.user()
                        : AllocationDetails.user().ownedBy(new Owner(Owner.Kind.OTHER, shortName));
        enter(true);
        allocated(
                buffer,
                graph.allocated(buffer.memory),
                tensors.shape().map(details::labelled).orElse(details));
    }

    private void allocated(Live buffer, OptionalLong size, AllocationDetails details) {
        live.put(buffer.memory, buffer);
        ofFullestBank += size.isPresent() ? 0 : 1;
        buffer.size = size.orElse(buffer.bankSize);
        recording.allocated(buffer.memory, buffer.size, MemoryRequest.restored(details, buffer.origin));
    }

    private void enter(boolean isInOperation) {
        recording.enter(new Phase(isInOperation ? name : name + " or before"));
    }

    /** Records that an exception left the operation. */
    void exception(String reason) {
        recording.unreturned(
                name, fresh.stream().filter(buffer -> buffer.isOfRuntime).count());
        notes.exception(
                name,
                reason,
                () -> RejectionExplanation.of(
                        reason,
                        () -> Optional.of(new RejectionExplanation.Buffers(
                                "recording",
                                live.values().stream()
                                        .map(SnapshotRecorder::holder)
                                        .toList(),
                                gone.stream().map(SnapshotRecorder::holder).toList(),
                                List.of()))));
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

    private void lost(long count, String reason, Object... values) {
        recording.lost(count, String.format(Locale.ROOT, reason, values));
    }

    OutputContent finish(OptionalInt rank, long operations) {
        List<Live> remaining =
                live.values().stream().filter(buffer -> !buffer.isFromBefore).toList();
        recording.endRound();
        if (allRows == 0) {
            lost(-1, "the database has no snapshot: its table buffers is empty");
        } else if (lastHasNone) {
            lost(-1, "no snapshot follows %s, so it is not known what was allocated after it", name);
        }
        if (unlisted > 0) {
            lost(
                    -1,
                    "the table operations does not list %s of other tables, the first is %s",
                    Quantities.count(unlisted, "operation"),
                    firstUnlisted);
        }
        long doubtful = remaining.stream().filter(buffer -> buffer.isDoubtful).count();
        if (doubtful > 0) {
            lost(
                    doubtful,
                    "%s of the first snapshot and the last, but not of each between, may have been allocated again",
                    Quantities.count(doubtful, "buffer"));
        }
        long ofRuntime = remaining.stream().filter(buffer -> buffer.isOfRuntime).count();
        recording.stop(remaining.size() - ofRuntime, ofRuntime);
        addNotes();
        return recording.end(
                rank,
                operations,
                allRows,
                remaining.stream().map(SnapshotRecorder::remaining).toList());
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
