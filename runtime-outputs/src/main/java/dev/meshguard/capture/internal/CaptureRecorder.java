package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.capture.internal.GraphNode.Param;
import dev.meshguard.capture.internal.OperationNumbers.Numbered;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceDescription;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
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
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns the nodes of a graph into a history, in their order.
 *
 * <p>A free is joined with its allocation by the buffer's node. Only if an old capture has no edge there, it is joined by
 * memory and address.
 */
final class CaptureRecorder {

    private static final String SOURCE = "graph capture";
    private static final String NO_NAME = "an operation without a name";
    private static final Phase BETWEEN = new Phase("between operations");

    /** Nodes about circular buffers and the like, which are not judged: they lie outside the allocator and end with their program. */
    private static final Set<String> MEMORY_OF_PROGRAMS = Set.of(
            "circular_buffer_allocate",
            "circular_buffer_deallocate_all",
            "dataflow_buffer_allocate",
            "scratchpad_allocate");

    /** A capture has no time of an event. */
    private static final Instant NO_TIME = Instant.EPOCH;

    private static final int MAX_FREED = 256;

    /** A buffer that was freed in the outermost open operation, at a node, as it was then. */
    private static final class Freed {
        private final int at;
        private final CapturedBuffer buffer;
        private final Memory memory;
        private final int[] users;

        private Freed(int at, CapturedBuffer buffer) {
            this.at = at;
            this.buffer = buffer;
            this.memory = buffer.memory.orElseThrow();
            this.users = buffer.users;
        }
    }

    /** An open operation, with its number if there may be calls of Python. */
    private static final class Operation {
        private final int node;
        private final String name;
        private final @Nullable Numbered numbered;
        private final boolean takesTensors;
        private boolean runsProgram;

        private Operation(int node, String name, @Nullable Numbered numbered, boolean takesTensors) {
            this.node = node;
            this.name = name;
            this.numbered = numbered;
            this.takesTensors = takesTensors;
        }

        private String name() {
            return name;
        }
    }

    private final EventList events = new EventList();

    /** The memory that was allocated in the capture. */
    private final Set<Memory> allocated = new HashSet<>();

    private final CaptureNotes notes = new CaptureNotes();
    private final TensorUse tensors = new TensorUse();

    private final Map<Integer, CapturedBuffer> buffers = new HashMap<>();
    /** Allocated in the capture and not freed, in the order of allocation. */
    private final Map<Memory, CapturedBuffer> live = new LinkedHashMap<>();

    private final Deque<Operation> open = new ArrayDeque<>();
    private final Map<String, AllocationDetails> details = new HashMap<>();
    private Phase phase = Phase.START;

    /** The last of them; an exception frees buffers before its operation ends. */
    private final Deque<Freed> freed = new ArrayDeque<>();

    /** Where buffers from before the capture were freed. */
    private final Set<Long> freedAddresses = new HashSet<>();

    private final ReadingCriteria criteria;
    private final OperationHistory recording;
    private Optional<OperationNumbers> numbers = Optional.empty();
    private Optional<PythonCalls> calls = Optional.empty();
    private Optional<SnapshotComparison> snapshots = Optional.empty();
    private boolean isPastLast;

    private long nodes;
    private int next;
    private boolean ended;
    private long reports;
    private long freedFromBefore;
    private long withoutAddress;
    private long coarseTypes;
    private boolean damaged;
    private final Map<String, Long> unread = new TreeMap<>();
    private OptionalInt rank = OptionalInt.empty();

    CaptureRecorder(ReadingCriteria criteria) {
        this.criteria = criteria;
        recording = new OperationHistory(events, criteria, "capture");
        events.add(number -> new HistoryEvent.SourceAttached(number, SourceDescription.of(SOURCE)));
    }

    long nodes() {
        return nodes;
    }

    void skipped(String what) {
        if (!isPastLast) {
            notes.skipped(what);
        }
    }

    /** Records a part of the file that cannot be read and may report a buffer; few kinds of them are named. */
    void unread(String what) {
        if (!isPastLast) {
            unread.merge(what, 1L, Long::sum);
        }
    }

    void otherVersion(String version) {
        notes.add(String.format(
                Locale.ROOT, "The report has version %s, and was read as version 1.", Quantities.quoted(version)));
    }

    /** Prepares for snapshots, which come after the graph. */
    void expectSnapshots() {
        if (snapshots.isEmpty()) {
            snapshots = Optional.of(new SnapshotComparison());
        }
    }

    /**
     * Returns the comparison for a snapshot after an operation.
     *
     * @param operation the number of its node {@code function_start}
     * @return empty if the graph has no such outermost operation, or what follows it is not read
     */
    Optional<SnapshotComparison> snapshotAfter(int operation) {
        Optional<SnapshotComparison> known = snapshots.filter(all -> all.hasOperation(operation));
        return known;
    }

    /** Prepares for calls of Python, which may come at the end. */
    void expectCalls() {
        if (numbers.isEmpty()) {
            numbers = Optional.of(new OperationNumbers());
        }
    }

    /** Adds the calls of Python; those that come first are used, unless they are damaged. */
    void calls(PythonCalls python) {
        expectCalls();
        if (calls.filter(PythonCalls::isReadable).isEmpty()) {
            calls = Optional.of(python);
        }
    }

    void rank(int number) {
        rank = OptionalInt.of(number);
    }

    /** Records that the rest of the capture cannot be read. */
    void damaged(String reason) {
        damaged = true;
        lost(-1, String.format(Locale.ROOT, "the capture cannot be read after %s: %s", lastNode(), reason));
    }

    /** Records one node. */
    void node(GraphNode node) {
        if (isPastLast) {
            nodes++;
            numberPastLast(node);
            return;
        }
        int number = node.counter() == GraphNode.NONE ? next : node.counter();
        if (number > next) {
            lost(
                    number - next,
                    number - next == 1
                            ? "node " + next + " is missing"
                            : "nodes " + next + " to " + (number - 1) + " are missing");
        } else if (number < next) {
            lost(-1, "node " + number + " stands after node " + (next - 1));
        }
        next = Math.max(next, number == Integer.MAX_VALUE ? number : number + 1);
        nodes++;
        switch (node.type()) {
            case "capture_start" -> {}
            case "capture_end" -> ended = true;
            case "function_start" -> began(node, number);
            case "function_end" -> operationEnded(node, number);
            case "tensor" ->
                tensors.tensor(
                        number,
                        node.number(Param.TENSOR),
                        Optional.ofNullable(node.text(Param.SHAPE)),
                        node.connections(),
                        memoryOf(node));
            case "buffer" -> described(node, number);
            case "buffer_allocate" -> allocated(node, number);
            case "buffer_deallocate" -> freed(node, number);
            case "error" ->
                aborted(
                        errorOperation(node),
                        number,
                        firstOf(node.text(Param.ERROR_MESSAGE), node.text(Param.ERROR_TYPE)));
            case "circular_buffer_allocate" ->
                open.stream().limit(1).forEach(operation -> operation.runsProgram = true);
            default -> {
                if (!MEMORY_OF_PROGRAMS.contains(node.type())) {
                    unknown(node, number);
                }
            }
        }
        node.impossibleValue()
                .ifPresent(value -> lost(1, String.format(Locale.ROOT, "node %d has the %s", number, value)));
    }

    /** A node of another version is skipped, unless it may report a buffer. */
    private void unknown(GraphNode node, int number) {
        boolean namesMemory = node.text(Param.SIZE) != null
                || node.text(Param.ADDRESS) != null
                || buffers.containsKey(node.connection());
        if (node.type().isEmpty()) {
            lost(1, "node " + number + " has no type");
        } else if (namesMemory) {
            lost(
                    1,
                    String.format(
                            Locale.ROOT,
                            "node %d may report a buffer, and its type %s is not known",
                            number,
                            Quantities.quoted(node.type())));
        } else {
            notes.skipped("node of type " + node.type());
        }
    }

    private String errorOperation(GraphNode error) {
        String named = firstOf(error.text(Param.ERROR_OPERATION), null);
        return named.isBlank() ? outermost().orElse(NO_NAME) : named;
    }

    private static @Nullable Memory memoryOf(GraphNode tensor) {
        OptionalLong address = tensor.number(Param.ADDRESS);
        Optional<BufferType> type = tensor.bufferType();
        return address.orElse(0) == 0 || type.isEmpty()
                ? null
                : new Memory(tensor.device(), type.get(), address.getAsLong());
    }

    private static String firstOf(@Nullable String text, @Nullable String other) {
        String found = text == null ? other : text;
        return found == null ? "" : found;
    }

    // Operations

    private void began(GraphNode node, int number) {
        String name = nameOf(node);
        if (open.isEmpty()) {
            freed.clear();
            recording.operationBegan(name);
        }
        open.push(new Operation(
                number, name, numbered(name), node.number(Param.INPUTS).orElse(0) > 0));
        tensors.operation(number, name);
    }

    private @Nullable Numbered numbered(String name) {
        Operation caller = open.peek();
        return numbers.isEmpty() ? null : numbers.get().began(name, caller == null ? null : caller.numbered);
    }

    /** Goes on with the numbers of operations, because the calls of Python are those of the whole capture. */
    private void numberPastLast(GraphNode node) {
        if (numbers.isEmpty()) {
            return;
        }
        String name = nameOf(node);
        if (node.type().equals("function_start")) {
            open.push(new Operation(GraphNode.NONE, name, numbered(name), false));
        } else if (node.type().equals("function_end")
                && open.stream().anyMatch(operation -> operation.name.equals(name))) {
            while (!open.pop().name.equals(name)) {
                // Older captures left the operations in it open at an exception.
            }
        }
    }

    private String nameOf(GraphNode node) {
        String name = node.text(Param.NAME);
        return name == null || name.isBlank() ? NO_NAME : tensors.shared(name);
    }

    /** Ends the innermost open operation of the name, and those in it, which older captures left open at an exception. */
    private void operationEnded(GraphNode node, int number) {
        String name = nameOf(node);
        if (node.flag(Param.ABORTED)) {
            aborted(name, number, firstOf(node.text(Param.ABORT_REASON), null));
        }
        if (open.stream().anyMatch(operation -> operation.name.equals(name))) {
            Operation ending = pop();
            while (!ending.name.equals(name)) {
                notes.skipped("operation without an end");
                unreturned(ending.name, ending.node);
                ending = pop();
            }
            if (open.isEmpty() && snapshots.isPresent()) {
                snapshots.get().operationEnded(ending.node, name, number);
            }
        } else {
            notes.skipped("end of an operation that did not begin");
        }
    }

    private void aborted(String name, int number, String reason) {
        int began = open.stream()
                .filter(operation -> operation.name.equals(name))
                .findFirst()
                .map(operation -> operation.node)
                .orElse(number);
        unreturned(name, began);
        notes.exception(
                name + " (node " + number + ")", reason, () -> RejectionExplanation.of(reason, () -> allocated(began)));
    }

    /** The result of an operation that did not return has no tensor, and memory of the runtime has none either. */
    private void unreturned(String name, int began) {
        long buffers = live.values().stream()
                .filter(buffer -> buffer.isOfRuntime && buffer.node > began)
                .count();
        if (buffers > 0) {
            lost(
                    -1,
                    String.format(
                            Locale.ROOT,
                            "%s (node %d) did not return, so it is not known whose its %s without a tensor are",
                            name,
                            began,
                            Quantities.count(buffers, "buffer")));
        }
    }

    private Operation pop() {
        Operation ending = open.pop();
        recording.operationEnded(ending.node);
        isPastLast |= criteria.last().isPresent() && criteria.last().getAsInt() == ending.node;
        return ending;
    }

    /**
     * Returns the buffers in an operation that an exception left; empty if nothing was dispatched, so that none has an address.
     *
     * @param began the node at which the operation began
     */
    private Optional<RejectionExplanation.Buffers> allocated(int began) {
        if (withoutAddress > 0) {
            return Optional.empty();
        }
        return Optional.of(new RejectionExplanation.Buffers(
                "capture",
                live.values().stream()
                        .map(buffer -> holder(buffer, buffer.memory.orElseThrow(), buffer.users))
                        .toList(),
                freed.stream()
                        .filter(buffer -> buffer.at > began)
                        .map(buffer -> holder(buffer.buffer, buffer.memory, buffer.users))
                        .toList(),
                before()));
    }

    /** Returns the buffers from before the capture at whose address nothing was allocated in it. */
    private List<MemoryHolder> before() {
        List<MemoryHolder> before = new ArrayList<>();
        for (CapturedBuffer buffer : buffers.values()) {
            if (!buffer.wasAllocated && !buffer.wasFreedFromBefore) {
                tensors.memoryOf(buffer.users)
                        .filter(memory -> !allocated.contains(memory) && !freedAddresses.contains(memory.address()))
                        .ifPresent(memory -> before.add(holder(buffer, memory, buffer.users)));
            }
        }
        return before;
    }

    private MemoryHolder holder(CapturedBuffer buffer, Memory memory, int[] users) {
        Numbered caller = buffer.caller;
        return new MemoryHolder(
                memory.type(),
                memory.address(),
                buffer.wasAllocated ? buffer.allocatedSize : Math.max(0, buffer.size),
                memory.device(),
                RejectionExplanation.label(tensors.of(users)),
                () -> calls.flatMap(python -> OperationNumbers.originOf(caller, python)),
                buffer.operation
                        .map(name -> "of " + name + " (node " + buffer.node + ")")
                        .orElse((buffer.wasAllocated ? "node " : "from before the capture, node ") + buffer.node));
    }

    private Optional<String> outermost() {
        return Optional.ofNullable(open.peekLast()).map(Operation::name);
    }

    private void enterPhase() {
        Phase current = outermost().map(Phase::new).orElse(phase.equals(Phase.START) ? Phase.START : BETWEEN);
        if (!current.equals(phase)) {
            phase = current;
            events.add(number -> new HistoryEvent.PhaseBegan(number, NO_TIME, current));
        }
    }

    // Buffers

    private void described(GraphNode node, int number) {
        buffers.put(
                number,
                new CapturedBuffer(
                        number,
                        node.connections(),
                        node.number(Param.SIZE).orElse(GraphNode.NONE),
                        node.connection() != GraphNode.NONE || node.hasNoEdge()));
    }

    private void allocated(GraphNode node, int number) {
        reports++;
        CapturedBuffer known = buffers.get(node.connection());
        CapturedBuffer buffer = known == null ? new CapturedBuffer(number, new int[0], GraphNode.NONE, false) : known;
        OptionalLong size = node.number(Param.SIZE);
        OptionalLong named = node.number(Param.ADDRESS);
        Optional<BufferType> type = typeOf(node);
        if (buffer.memory.isPresent()) {
            lost(1, String.format(Locale.ROOT, "node %d allocates the buffer of node %d again", number, buffer.node));
            return;
        }
        if (type.isEmpty() || named.isEmpty() || (size.isEmpty() && buffer.size < 0)) {
            lost(
                    1,
                    String.format(
                            Locale.ROOT,
                            "node %d allocates a buffer without a valid %s",
                            number,
                            type.isEmpty() ? "memory" : named.isEmpty() ? "address" : "size"));
            return;
        }
        long address = named.getAsLong();
        buffer.hasAddress = address != 0;
        withoutAddress += buffer.hasAddress ? 0 : 1;
        Memory memory = new Memory(node.device(), type.get(), buffer.hasAddress ? address : buffer.node);
        enterPhase();
        CapturedBuffer before = live.get(memory);
        if (before != null) {
            lost(
                    1,
                    String.format(
                            Locale.ROOT,
                            "node %d allocates an address at which the buffer of node %d is allocated, whose free is missing",
                            number,
                            before.node));
            freed(before, number);
        }
        buffer.memory = Optional.of(memory);
        if (snapshots.isPresent() && buffer.hasAddress) {
            buffer.period = snapshots.get().periods().began(memory.type(), address, number);
        }
        buffer.allocatedSize = size.orElse(buffer.size);
        buffer.wasAllocated = true;
        buffer.operation = outermost();
        buffer.isOfRuntime = buffer.hasNoTensor() && isOfRuntime(type.get());
        live.put(memory, buffer);
        Operation innermost = open.peek();
        buffer.caller = innermost == null ? null : innermost.numbered;
        if (innermost != null && innermost.numbered != null) {
            numbers.ifPresent(operations -> operations.allocated(events.nextNumber(), innermost.numbered));
        }
        buffer.event = events.nextNumber();
        allocated.add(memory);
        events.allocated(memory, buffer.allocatedSize, detailsOf(buffer), Optional.empty());
    }

    /**
     * Returns whether a buffer without a tensor, which is allocated now, is the runtime's: that of a program that is being
     * prepared, or a kernel binary, which lies in DRAM. A capture without tensors and programs shows nothing of it.
     */
    private boolean isOfRuntime(BufferType type) {
        return open.stream().anyMatch(operation -> operation.runsProgram)
                || (type == BufferType.DRAM && open.stream().anyMatch(operation -> operation.takesTensors));
    }

    private AllocationDetails detailsOf(CapturedBuffer buffer) {
        if (buffer.isOfRuntime) {
            return AllocationDetails.user()
                    .withLifetime(BufferLifetime.PERSISTENT)
                    .ownedBy(new Owner(Owner.Kind.OTHER, "the runtime, for " + buffer.operation.orElse(NO_NAME)));
        }
        return buffer.operation
                .map(name -> details.computeIfAbsent(
                        name, first -> AllocationDetails.user().ownedBy(new Owner(Owner.Kind.OTHER, first))))
                .orElse(AllocationDetails.user());
    }

    private Optional<BufferType> typeOf(GraphNode node) {
        coarseTypes += node.namesCoarseType() ? 1 : 0;
        return node.bufferType();
    }

    private void freed(GraphNode node, int number) {
        reports++;
        Optional<CapturedBuffer> found = freedBy(node);
        if (found.isEmpty()) {
            freedUnknown(node, number);
            return;
        }
        CapturedBuffer buffer = found.get();
        if (buffer.memory.isPresent()) {
            enterPhase();
            remember(buffer, number);
            freed(buffer, number);
        } else if (buffer.wasAllocated) {
            lost(
                    1,
                    String.format(
                            Locale.ROOT,
                            "node %d frees the buffer of node %d, which was freed before",
                            number,
                            buffer.node));
        } else {
            buffer.wasFreedFromBefore = true;
            freedFromBefore(node, number);
        }
    }

    private void remember(CapturedBuffer buffer, int number) {
        if (!open.isEmpty()) {
            if (freed.size() == MAX_FREED) {
                freed.remove();
            }
            freed.add(new Freed(number, buffer));
        }
    }

    private void freedFromBefore(GraphNode node, int number) {
        freedFromBefore++;
        long address = node.number(Param.ADDRESS).orElse(0);
        freedAddresses.add(address);
        Optional<BufferType> type = node.bufferType();
        if (snapshots.isPresent() && address != 0 && type.isPresent()) {
            snapshots.get().periods().endedFromBefore(type.get(), address, number);
        }
    }

    private void freed(CapturedBuffer buffer, int number) {
        Memory memory = buffer.memory.orElseThrow();
        if (snapshots.isPresent() && buffer.hasAddress) {
            snapshots.get().periods().ended(buffer.period, number);
        }
        live.remove(memory);
        buffer.memory = Optional.empty();
        buffer.users = Arrays.stream(buffer.users).filter(user -> user > number).toArray();
        events.freed(memory);
    }

    private Optional<CapturedBuffer> freedBy(GraphNode node) {
        if (node.connection() != GraphNode.NONE) {
            return Optional.ofNullable(buffers.get(node.connection()));
        }
        OptionalLong address = node.number(Param.ADDRESS);
        Optional<BufferType> type = typeOf(node);
        return address.isEmpty() || type.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(live.get(new Memory(node.device(), type.get(), address.getAsLong())));
    }

    /** A buffer from before the capture need not have a node; one of the capture must be named. */
    private void freedUnknown(GraphNode node, int number) {
        boolean isNamed = node.connection() == GraphNode.NONE
                && node.number(Param.ADDRESS).orElse(0) != 0;
        if (isNamed || live.isEmpty()) {
            freedFromBefore(node, number);
        } else {
            lost(1, String.format(Locale.ROOT, "node %d frees a buffer that no node describes", number));
        }
    }

    // The end

    /** Records that what a report says is not known; reports after the last operation that is read do not count. */
    void lost(long count, String reason) {
        if (!isPastLast) {
            add(count, reason);
        }
    }

    private void add(long count, String reason) {
        events.add(number -> new HistoryEvent.ReportsLost(number, count, reason));
    }

    private String lastNode() {
        return nodes == 0 ? "its beginning" : "node " + (next - 1);
    }

    OutputContent finish() throws UnreadableOutputException {
        if (criteria.last().isPresent() && !isPastLast) {
            throw criteria.withoutLast("An operation has the number of its node function_start");
        }
        numbers.ifPresent(operations -> calls.ifPresent(python -> operations.addOrigins(python, events)));
        open.forEach(operation -> unreturned(operation.name, operation.node));
        unread.forEach((what, count) -> add(count, count + " × " + what));
        recording.endRound();
        if (!ended && !damaged && !isPastLast) {
            lost(
                    -1,
                    nodes == 0
                            ? "the capture has no nodes"
                            : "the capture has no capture_end, so what follows " + lastNode() + " is not in it");
        }
        List<RemainingBuffer> remaining =
                live.values().stream().map(this::remaining).toList();
        int ofRuntime = (int)
                live.values().stream().filter(buffer -> buffer.isOfRuntime).count();
        recording.noteOn(remaining.size() - ofRuntime).ifPresent(notes::add);
        addNotes(ofRuntime);
        recording.end(snapshots.map(SnapshotComparison::contradictions).orElse(List.of()), notes.all());
        return new OutputContent(rank, recording, nodes, reports, remaining, notes.all());
    }

    private RemainingBuffer remaining(CapturedBuffer buffer) {
        Memory memory = buffer.memory.orElseThrow();
        return new RemainingBuffer(
                OptionalInt.of(buffer.node),
                memory.device(),
                memory.type(),
                buffer.hasAddress ? OptionalLong.of(memory.address()) : OptionalLong.empty(),
                buffer.allocatedSize,
                buffer.operation,
                events.originOf(buffer.event),
                tensors.of(buffer.users));
    }

    private void addNotes(int ofRuntime) {
        if (ofRuntime > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s without a tensor inside an operation, owned by the runtime, which keeps such memory with its cached"
                            + " programs.",
                    ofRuntime == 1 ? "1 buffer was allocated" : ofRuntime + " buffers were allocated"));
        }
        calls.ifPresent(python -> python.notes().forEach(notes::add));
        snapshots.ifPresent(all -> all.notes().forEach(notes::add));
        long before =
                buffers.values().stream().filter(buffer -> !buffer.wasAllocated).count();
        if (before + freedFromBefore > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "Buffers from before the capture are not judged: %d in use, of which %d freed.",
                    before,
                    freedFromBefore));
        }
        if (withoutAddress > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s no address, as nothing was dispatched (NO_DISPATCH). The number of the buffer's node stands"
                            + " for it.",
                    withoutAddress == 1 ? "1 allocation has" : withoutAddress + " allocations have"));
        }
        if (coarseTypes > 0) {
            notes.add("The capture names L1 and DRAM only: L1_SMALL counts as L1, and the trace region as DRAM.");
        }
        if (!open.isEmpty()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "%s no end; the innermost is %s (node %d).",
                    open.size() == 1 ? "1 operation has" : open.size() + " operations have",
                    open.getFirst().name,
                    open.getFirst().node));
        }
    }
}
