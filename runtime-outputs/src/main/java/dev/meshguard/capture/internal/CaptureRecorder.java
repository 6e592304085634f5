package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.evidence.internal.MemoryHolder;
import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.capture.internal.CapturedBuffer.State;
import dev.meshguard.capture.internal.GraphNode.Param;
import dev.meshguard.capture.internal.OperationNumbers.Numbered;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.SourceDescription;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Turns the nodes of a graph into a history, in their order.
 *
 * <p>A free is joined with its allocation by the buffer's node. Only if an old capture has no edge there, it is joined by
 * memory and address.
 */
final class CaptureRecorder {

    private static final String NO_NAME = "an operation without a name";
    private static final Phase BETWEEN = new Phase("between operations");

    /** Nodes about circular buffers and the like, which are not judged: they lie outside the allocator and end with their program. */
    private static final Set<String> MEMORY_OF_PROGRAMS = Set.of(
            "circular_buffer_allocate",
            "circular_buffer_deallocate_all",
            "dataflow_buffer_allocate",
            "scratchpad_allocate");

    /** The nodes with an edge back to a buffer's node. */
    private static final Set<String> BUFFER_REPORTS = Set.of("buffer_allocate", "buffer_deallocate");

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
    }

    private final OutputRecording recording;
    private final CaptureNotes notes;
    private final TensorUse tensors = new TensorUse();
    private final Map<String, AllocationDetails> details = new HashMap<>();

    private final Map<Integer, CapturedBuffer> buffers = new HashMap<>();
    /** Allocated in the capture and not freed, in the order of allocation. */
    private final Map<Memory, CapturedBuffer> live = new LinkedHashMap<>();
    /** The memory that was allocated in the capture. */
    private final Set<Memory> allocated = new HashSet<>();
    /** Where buffers from before the capture were freed. */
    private final Set<Long> freedAddresses = new HashSet<>();

    private final Deque<Operation> open = new ArrayDeque<>();
    /** The runtime's among the buffers that were allocated in the outermost open operation, unless they are in doubt. */
    private final List<CapturedBuffer> ofRuntime = new ArrayList<>();

    private Optional<OperationNumbers> numbers = Optional.empty();
    private Optional<PythonCalls> calls = Optional.empty();
    private Optional<SnapshotComparison> snapshots = Optional.empty();
    private final Map<String, Long> unread = new TreeMap<>();

    private long nodes;
    private int next;
    /** Whether it is known where the capture ends, or that it is not. */
    private boolean hasEnd;

    private long reports;
    private long freedFromBefore;
    private long withoutAddress;
    private long coarseTypes;

    CaptureRecorder(ReadingCriteria criteria) {
        recording = new OutputRecording(SourceDescription.of("graph capture"), criteria, "capture");
        notes = recording.notes();
    }

    long nodes() {
        return nodes;
    }

    void skipped(String what) {
        notes.skipped(what);
    }

    /** Records a part of the file that cannot be read and may report a buffer; few kinds of them are named. */
    void unread(String what) {
        unread.merge(what, 1L, Long::sum);
    }

    void otherVersion(String version) {
        notes.add(String.format(
                Locale.ROOT, "The report has version %s, and was read as version 1.", Quantities.quoted(version)));
    }

    /** Prepares for snapshots, which come after the graph. */
    void expectSnapshots() {
        snapshots = snapshots.or(() -> Optional.of(new SnapshotComparison()));
    }

    /**
     * Returns the comparison for a snapshot after an operation.
     *
     * @param operation the number of its node {@code function_start}
     * @return empty if the graph has no such outermost operation
     */
    Optional<SnapshotComparison> snapshotAfter(int operation) {
        return snapshots.filter(all -> all.hasOperation(operation));
    }

    /** Prepares for calls of Python, which may come at the end. */
    void expectCalls() {
        numbers = numbers.or(() -> Optional.of(new OperationNumbers()));
    }

    /** Adds the calls of Python; those that come first are used, unless they are damaged. */
    void calls(PythonCalls python) {
        expectCalls();
        if (calls.filter(PythonCalls::isReadable).isEmpty()) {
            calls = Optional.of(python);
        }
    }

    /** Records that the rest of the capture cannot be read. */
    void damaged(String reason) {
        hasEnd = true;
        lost(-1, "the capture cannot be read after %s: %s", lastNode(), reason);
    }

    /** Records that what some reports say is not known. */
    void lost(long count, String reason, Object... values) {
        recording.lost(count, String.format(Locale.ROOT, reason, values));
    }

    private String lastNode() {
        return nodes == 0 ? "its beginning" : "node " + (next - 1);
    }

    /** Records one node. */
    void node(GraphNode node) {
        nodes++;
        int number = node.counter() == GraphNode.NONE ? next : node.counter();
        if (number == next + 1) {
            lost(1, "node %d is missing", next);
        } else if (number > next) {
            lost(number - next, "nodes %d to %d are missing", next, number - 1);
        } else if (number < next) {
            lost(-1, "node %d stands after node %d", number, next - 1);
        }
        next = Math.max(next, number == Integer.MAX_VALUE ? number : number + 1);
        node.impossibleValue().ifPresent(value -> lost(1, "node %d has the %s", number, value));
        checkPlaceAndEdges(node, number);
        switch (node.type()) {
            case "capture_start" -> {}
            case "capture_end" -> hasEnd = true;
            case "function_start" -> began(node, number);
            case "function_end" -> ended(node, number);
            case "tensor" -> tensor(node, number);
            case "buffer" ->
                buffers.put(
                        number,
                        new CapturedBuffer(
                                number,
                                node.connections(),
                                node.number(Param.SIZE).orElse(GraphNode.NONE),
                                node.connection() != GraphNode.NONE || node.hasNoEdge()));
            case "buffer_allocate" -> allocated(node, number);
            case "buffer_deallocate" -> freed(node, number);
            case "error" -> {
                String name = firstOf(node.text(Param.ERROR_OPERATION), null);
                aborted(
                        name.isBlank() ? outermost().orElse(NO_NAME) : name,
                        number,
                        firstOf(node.text(Param.ERROR_MESSAGE), node.text(Param.ERROR_TYPE)));
            }
            default -> {
                if (!MEMORY_OF_PROGRAMS.contains(node.type())) {
                    unknown(node, number);
                } else if (node.type().endsWith("_allocate") && !open.isEmpty()) {
                    open.element().runsProgram = true;
                }
            }
        }
    }

    /** A capture has one beginning and one end, and only two types of nodes have an edge, and only one, to a buffer's node. */
    private void checkPlaceAndEdges(GraphNode node, int number) {
        if (hasEnd || (nodes > 1 && node.type().equals("capture_start"))) {
            lost(1, "node %d, of type %s, stands at a wrong place", number, Quantities.quoted(node.type()));
        }
        boolean reportsBuffer = BUFFER_REPORTS.contains(node.type());
        if (reportsBuffer && node.hasSeveralEdges()) {
            lost(1, "node %d has edges to several buffers", number);
        } else if (!reportsBuffer && node.connection() < number && buffers.containsKey(node.connection())) {
            lost(
                    1,
                    "node %d has an edge to the buffer of node %d, and its type is %s",
                    number,
                    node.connection(),
                    Quantities.quoted(node.type()));
        }
    }

    /** The memory of a tensor is not the runtime's. */
    private void tensor(GraphNode node, int number) {
        Memory memory = memoryOf(node);
        CapturedBuffer buffer = live.get(memory);
        if (buffer != null && buffer.isOfRuntime) {
            lost(1, "the buffer of node %d has no edge to node %d, a tensor at its address", buffer.node, number);
        }
        tensors.tensor(
                number,
                node.number(Param.TENSOR),
                Optional.ofNullable(node.text(Param.SHAPE)),
                node.connections(),
                memory);
    }

    /** A node of another version is skipped, unless it may report a buffer. */
    private void unknown(GraphNode node, int number) {
        if (node.type().isEmpty()) {
            lost(1, "node %d has no type", number);
        } else if (node.text(Param.SIZE) != null || node.text(Param.ADDRESS) != null) {
            lost(
                    1,
                    "node %d may report a buffer, and its type %s is not known",
                    number,
                    Quantities.quoted(node.type()));
        } else {
            notes.skipped("node of type " + node.type());
        }
    }

    private static @Nullable Memory memoryOf(GraphNode node) {
        OptionalLong address = node.number(Param.ADDRESS);
        Optional<BufferType> type = node.bufferType();
        return address.orElse(0) == 0 || type.isEmpty()
                ? null
                : new Memory(node.device(), type.get(), address.getAsLong());
    }

    private static String firstOf(@Nullable String text, @Nullable String other) {
        String found = text == null ? other : text;
        return found == null ? "" : found;
    }

    // Operations

    private void began(GraphNode node, int number) {
        String name = nameOf(node);
        if (open.isEmpty()) {
            ofRuntime.clear();
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

    private String nameOf(GraphNode node) {
        String name = node.text(Param.NAME);
        return name == null || name.isBlank() ? NO_NAME : tensors.shared(name);
    }

    private boolean isOpen(String name) {
        return open.stream().anyMatch(operation -> operation.name.equals(name));
    }

    /** Ends the innermost open operation of the name, and those in it, which older captures left open at an exception. */
    private void ended(GraphNode node, int number) {
        String name = nameOf(node);
        if (node.flag(Param.ABORTED)) {
            aborted(name, number, firstOf(node.text(Param.ABORT_REASON), null));
        }
        if (!isOpen(name)) {
            notes.skipped("end of an operation that did not begin");
            return;
        }
        Operation ending = open.pop();
        while (!ending.name.equals(name)) {
            notes.skipped("operation without an end");
            unreturned(ending.name, ending.node);
            ending = open.pop();
        }
        if (open.isEmpty() && snapshots.isPresent()) {
            snapshots.get().operationEnded(ending.node, name, number);
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

    private void unreturned() {
        open.forEach(operation -> unreturned(operation.name, operation.node));
    }

    /** The result of an operation that did not return has no tensor, and memory of the runtime has none either. */
    private void unreturned(String name, int began) {
        long unknown = 0;
        for (int last = ofRuntime.size() - 1; last >= 0 && ofRuntime.get(last).node > began; last--) {
            unknown += ofRuntime.remove(last).state == State.ALLOCATED ? 1 : 0;
        }
        recording.unreturned(name + " (node " + began + ")", unknown);
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
                holders(live.values().stream()),
                holders(buffers.values().stream()
                        .filter(buffer -> buffer.state == State.FREED && buffer.freedAt > began)
                        .sorted(Comparator.comparingInt(buffer -> buffer.freedAt))),
                before()));
    }

    private List<MemoryHolder> holders(Stream<CapturedBuffer> all) {
        return all.map(buffer -> holder(buffer, memoryOf(buffer))).toList();
    }

    private static Memory memoryOf(CapturedBuffer allocated) {
        return Objects.requireNonNull(allocated.memory);
    }

    /** Returns the buffers from before the capture at whose address nothing was allocated in it. */
    private List<MemoryHolder> before() {
        List<MemoryHolder> before = new ArrayList<>();
        for (CapturedBuffer buffer : buffers.values()) {
            if (buffer.state == State.FROM_BEFORE) {
                tensors.memoryOf(buffer.users)
                        .filter(memory -> !allocated.contains(memory) && !freedAddresses.contains(memory.address()))
                        .ifPresent(memory -> before.add(holder(buffer, memory)));
            }
        }
        return before;
    }

    private MemoryHolder holder(CapturedBuffer buffer, Memory memory) {
        String node = "node " + buffer.node;
        String ofBuffer = buffer.state == State.FROM_BEFORE ? "from before the capture, " + node : node;
        return new MemoryHolder(
                memory.type(),
                memory.address(),
                Math.max(0, buffer.size),
                memory.device(),
                RejectionExplanation.label(tensors.of(buffer.users)),
                () -> Optional.ofNullable(buffer.request).flatMap(CapturedRequest::origin),
                buffer.operation.map(name -> "of " + name + " (" + node + ")").orElse(ofBuffer));
    }

    private Optional<String> outermost() {
        return Optional.ofNullable(open.peekLast()).map(operation -> operation.name);
    }

    private void enterPhase() {
        Phase before = recording.phase().equals(Phase.START) ? Phase.START : BETWEEN;
        recording.enter(outermost().map(Phase::new).orElse(before));
    }

    // Buffers

    private void allocated(GraphNode node, int number) {
        reports++;
        CapturedBuffer buffer = buffers.get(node.connection());
        if (buffer == null) {
            buffer = new CapturedBuffer(number, new int[0], GraphNode.NONE, false);
        } else if (buffer.state == State.ALLOCATED) {
            lost(1, "node %d allocates the buffer of node %d again", number, buffer.node);
            return;
        } else if (buffer.state == State.FREED) {
            buffer = buffer.reused();
        } else if (buffer.state == State.FROM_BEFORE && buffer.isUsedBefore(number)) {
            lost(1, "node %d allocates the buffer of node %d, which a tensor used before", number, buffer.node);
        }
        long size = node.number(Param.SIZE).orElse(buffer.size);
        OptionalLong address = node.number(Param.ADDRESS);
        Optional<BufferType> type = typeOf(node);
        if (type.isEmpty() || address.isEmpty() || size < 0) {
            String missing = type.isEmpty() ? "memory" : address.isEmpty() ? "address" : "size";
            lost(1, "node %d allocates a buffer without a valid %s", number, missing);
            return;
        }
        buffer.hasAddress = address.getAsLong() != 0;
        withoutAddress += buffer.hasAddress ? 0 : 1;
        buffer.size = size;
        buffer.operation = outermost();
        buffer.isOfRuntime = buffer.hasNoTensor() && isOfRuntime(type.get());
        buffer.memory = new Memory(node.device(), type.get(), buffer.hasAddress ? address.getAsLong() : buffer.node);
        allocated(buffer, number);
    }

    private void allocated(CapturedBuffer buffer, int number) {
        Memory memory = memoryOf(buffer);
        enterPhase();
        CapturedBuffer before = live.get(memory);
        if (before != null) {
            lost(
                    1,
                    "node %d allocates an address at which the buffer of node %d is allocated, whose free is missing",
                    number,
                    before.node);
            freed(before, number);
        }
        if (snapshots.isPresent() && buffer.hasAddress) {
            snapshots.get().allocated(memory.type(), memory.address(), number);
        }
        CapturedRequest request = new CapturedRequest(detailsOf(buffer));
        Operation innermost = open.peek();
        if (innermost != null && innermost.numbered != null) {
            numbers.orElseThrow().allocated(request, innermost.numbered);
        }
        buffer.request = request;
        buffer.state = State.ALLOCATED;
        if (buffer.isOfRuntime) {
            ofRuntime.add(buffer);
        }
        buffers.put(buffer.node, buffer);
        live.put(memory, buffer);
        allocated.add(memory);
        recording.allocated(memory, buffer.size, request);
    }

    /**
     * Returns whether a buffer without a tensor, which is allocated now, is the runtime's: that of a program that is being
     * prepared, or a kernel binary, which lies in DRAM. A capture without tensors and programs shows nothing of it.
     */
    private boolean isOfRuntime(BufferType type) {
        return open.stream()
                .anyMatch(operation -> operation.runsProgram || (type == BufferType.DRAM && operation.takesTensors));
    }

    private AllocationDetails detailsOf(CapturedBuffer buffer) {
        if (buffer.isOfRuntime) {
            return OutputRecording.ofRuntime(buffer.operation.orElse(NO_NAME));
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
        CapturedBuffer buffer = freedBy(node);
        if (buffer == null) {
            freedUnknown(node, number);
            return;
        }
        switch (buffer.state) {
            case ALLOCATED -> {
                if (isOf(node, buffer)) {
                    enterPhase();
                    freed(buffer, number);
                } else {
                    lost(
                            1,
                            "node %d frees the buffer of node %d, whose allocation has another address, size, type or device",
                            number,
                            buffer.node);
                }
            }
            case FREED -> lost(1, "node %d frees the buffer of node %d, which was freed before", number, buffer.node);
            case FROM_BEFORE, FREED_FROM_BEFORE -> {
                buffer.state = State.FREED_FROM_BEFORE;
                buffer.freedAt = number;
                freedFromBefore(node, number);
            }
        }
    }

    /** Returns whether a free may be of a buffer; older captures have no address and size 0 in it. */
    private static boolean isOf(GraphNode free, CapturedBuffer buffer) {
        Memory memory = memoryOf(buffer);
        long address = buffer.hasAddress ? memory.address() : 0;
        long size = free.number(Param.SIZE).orElse(0);
        return free.number(Param.ADDRESS).orElse(address) == address
                && (size == 0 || size == buffer.size)
                && (free.text(Param.DEVICE) == null || free.device() == memory.device())
                && free.mayLieIn(memory.type());
    }

    private void freed(CapturedBuffer buffer, int number) {
        Memory memory = memoryOf(buffer);
        if (snapshots.isPresent() && buffer.hasAddress) {
            snapshots.get().freed(memory.type(), memory.address(), number);
        }
        buffer.state = State.FREED;
        buffer.freedAt = number;
        live.remove(memory);
        recording.freed(memory);
    }

    private void freedFromBefore(GraphNode node, int number) {
        freedFromBefore++;
        freedAddresses.add(node.number(Param.ADDRESS).orElse(0));
        Memory memory = memoryOf(node);
        if (snapshots.isPresent() && memory != null) {
            snapshots.get().freedFromBefore(memory.type(), memory.address(), number);
        }
    }

    private @Nullable CapturedBuffer freedBy(GraphNode node) {
        if (node.connection() != GraphNode.NONE) {
            return buffers.get(node.connection());
        }
        OptionalLong address = node.number(Param.ADDRESS);
        Optional<BufferType> type = typeOf(node);
        return address.isEmpty() || type.isEmpty()
                ? null
                : live.get(new Memory(node.device(), type.get(), address.getAsLong()));
    }

    /** A buffer from before the capture need not have a node; one of the capture must be named. */
    private void freedUnknown(GraphNode node, int number) {
        boolean mayBeFromBefore = node.connection() == GraphNode.NONE
                && (live.isEmpty() || node.number(Param.ADDRESS).orElse(0) != 0);
        if (mayBeFromBefore) {
            freedFromBefore(node, number);
        } else {
            lost(1, "node %d frees a buffer that no node describes", number);
        }
    }

    // The end

    OutputContent finish() {
        numbers.ifPresent(operations -> calls.ifPresent(operations::addOrigins));
        unreturned();
        recording.endRound();
        buffers.values().stream()
                .filter(buffer -> buffer.isUsedAfterFree(next))
                .forEach(buffer -> recording.lost(
                        1,
                        String.format(
                                Locale.ROOT,
                                "node %d frees the buffer of node %d, which a later tensor uses",
                                buffer.freedAt,
                                buffer.node)));
        unread.forEach((what, count) -> recording.lost(count, count + " × " + what));
        if (!hasEnd && nodes == 0) {
            lost(-1, "the capture has no nodes");
        } else if (!hasEnd) {
            lost(-1, "the capture has no capture_end, so what follows %s is not in it", lastNode());
        }
        snapshots.ifPresent(all -> all.report(recording));
        long kept = live.values().stream().filter(buffer -> buffer.isOfRuntime).count();
        recording.stop(live.size() - kept, kept);
        addNotes();
        List<RemainingBuffer> remaining =
                live.values().stream().map(this::remaining).toList();
        return recording.end(OptionalInt.empty(), nodes, reports, remaining);
    }

    private RemainingBuffer remaining(CapturedBuffer buffer) {
        Memory memory = memoryOf(buffer);
        return new RemainingBuffer(
                OptionalInt.of(buffer.node),
                memory.device(),
                memory.type(),
                buffer.hasAddress ? OptionalLong.of(memory.address()) : OptionalLong.empty(),
                buffer.size,
                buffer.operation,
                Objects.requireNonNull(buffer.request).origin(),
                tensors.of(buffer.users));
    }

    private void addNotes() {
        calls.ifPresent(python -> python.notes().forEach(notes::add));
        snapshots.ifPresent(all -> all.addNotes(notes));
        long before = buffers.values().stream()
                .filter(buffer -> buffer.state == State.FROM_BEFORE || buffer.state == State.FREED_FROM_BEFORE)
                .count();
        if (before + freedFromBefore > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "Buffers from before the capture are not judged: %d in use, of which %d freed.",
                    before,
                    freedFromBefore));
        }
        notes.add(
                withoutAddress,
                "1 allocation has",
                "%d allocations have",
                " no address, as nothing was dispatched (NO_DISPATCH). The number of the buffer's node stands for it.");
        if (coarseTypes > 0) {
            notes.add("The capture names L1 and DRAM only: L1_SMALL counts as L1, and the trace region as DRAM.");
        }
        notes.add(
                open.size(),
                "1 operation has",
                "%d operations have",
                open.stream()
                        .findFirst()
                        .map(innermost ->
                                " no end; the innermost is " + innermost.name + " (node " + innermost.node + ").")
                        .orElse(""));
    }
}
