package dev.meshguard.capture.internal;

import dev.meshguard.capture.OutputFormat;
import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Phase;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
final class CaptureRecorder extends OutputRecorder<CapturedBuffer> {

    private static final String NO_NAME = "an operation without a name";
    private static final Phase BETWEEN = new Phase("between operations");

    /** The nodes with an edge back to a buffer's node. */
    private static final Set<String> BUFFER_REPORTS = Set.of("buffer_allocate", "buffer_deallocate");

    private final GraphTensors tensors = new GraphTensors();
    private final Map<Integer, CapturedBuffer> buffers = new HashMap<>();

    /** The innermost open operation. */
    private @Nullable CapturedOperation innermost;

    /** The runtime's among the buffers that were allocated in the outermost open operation, unless they are in doubt. */
    private final List<CapturedBuffer> ofRuntime = new ArrayList<>();

    private Optional<PythonCalls> calls = Optional.empty();
    /** The comparison with the snapshots, which come after the graph; only a report has some. */
    Optional<SnapshotComparison> snapshots = Optional.empty();

    private final Map<String, Long> unread = new TreeMap<>();

    long nodes;
    /** The number of the current node. */
    private int number;

    private int next;
    /** Whether it is known where the capture ends, or that it is not. */
    private boolean hasEnd;

    private long reports;
    private long freedFromBefore;
    private long withoutAddress;
    private long coarseTypes;

    CaptureRecorder(ReadingCriteria criteria) {
        super(SourceDescription.of("graph capture"), criteria, "capture");
    }

    /** Records parts of the file that cannot be read and may report a buffer; few kinds of them are named. */
    void unread(String what, long count) {
        if (count > 0) {
            unread.merge(what, count, Long::sum);
        }
    }

    /** Adds the calls of Python; those that come first are used, unless they are damaged. */
    void calls(PythonCalls python) {
        calls = calls.filter(PythonCalls::isReadable).or(() -> Optional.of(python));
    }

    /** Records that the rest of the capture cannot be read. */
    void damaged(String reason) {
        hasEnd = true;
        lost(-1, "the capture cannot be read after " + lastNode() + ": " + reason);
    }

    /** Records that what the current node says cannot be. */
    private void contradicted(String what) {
        lost(1, "node " + number + " " + what);
    }

    private String lastNode() {
        return nodes == 0 ? "its beginning" : "node " + (next - 1);
    }

    /** Records one node. */
    void node(GraphNode node) {
        nodes++;
        number = node.counter() == GraphNode.NONE ? next : node.counter();
        if (number == next + 1) {
            lost(1, "node " + next + " is missing");
        } else if (number > next) {
            lost(number - next, "nodes " + next + " to " + (number - 1) + " are missing");
        } else if (number < next) {
            lost(-1, "node " + number + " stands after " + lastNode());
        }
        next = Math.max(next, number == Integer.MAX_VALUE ? number : number + 1);
        node.impossibleValue().ifPresent(value -> contradicted("has the " + value));
        checkPlaceAndEdges(node);
        switch (node.type) {
            case "capture_start", "circular_buffer_deallocate_all" -> {}
            case "capture_end" -> hasEnd = true;
            case "function_start" -> began(node);
            case "function_end" -> ended(node);
            case "tensor" -> tensor(node);
            case "buffer" ->
                buffers.put(
                        number,
                        new CapturedBuffer(
                                number,
                                node.connections,
                                node.hasNoEdge(),
                                node.number("size").orElse(GraphNode.NONE),
                                tensors));
            case "buffer_allocate" -> allocated(node);
            case "buffer_deallocate" -> freed(node);
            case "error" ->
                aborted(
                        node.text("error_operation")
                                .filter(name -> !name.isBlank())
                                .or(() -> CapturedOperation.nameOfOutermost(innermost))
                                .orElse(NO_NAME),
                        node.text("error_message")
                                .or(() -> node.text("error_type"))
                                .orElse(""));
            default -> other(node);
        }
    }

    /** A capture has one beginning and one end, and only two types of nodes have an edge, and only one, to a buffer's node. */
    private void checkPlaceAndEdges(GraphNode node) {
        if (hasEnd || (nodes > 1 && node.type.equals("capture_start"))) {
            lost(1, "node " + number + ", of type " + Quantities.quoted(node.type) + ", stands at a wrong place");
        }
        boolean reportsBuffer = BUFFER_REPORTS.contains(node.type);
        if (reportsBuffer && node.connections.length > 1) {
            contradicted("has edges to several buffers");
        } else if (!reportsBuffer && node.connection() < number && buffers.containsKey(node.connection())) {
            contradicted("has an edge to the buffer of node " + node.connection() + ", and its type is "
                    + Quantities.quoted(node.type));
        }
    }

    /** The memory of a tensor is not the runtime's. */
    private void tensor(GraphNode node) {
        CapturedBuffer buffer = at(node.memory());
        if (buffer != null && buffer.isOfRuntime) {
            lost(
                    1,
                    "the buffer of node " + buffer.node + " has no edge to node " + number
                            + ", a tensor at its address");
        }
        tensors.tensor(number, node);
    }

    /** A node of another version is skipped, unless it may report a buffer. */
    private void other(GraphNode node) {
        if (node.isOfProgram()) {
            Optional.ofNullable(innermost).ifPresent(operation -> operation.runsProgram = true);
        } else if (node.type.isEmpty()) {
            contradicted("has no type");
        } else if (node.text("size").isPresent() || node.text("address").isPresent()) {
            contradicted("may report a buffer, and its type " + Quantities.quoted(node.type) + " is not known");
        } else {
            notes.skipped("node of type " + node.type);
        }
    }

    // Operations

    private void began(GraphNode node) {
        String name = nameOf(node);
        if (innermost == null) {
            ofRuntime.clear();
            operationBegan(name);
        }
        innermost = new CapturedOperation(
                number, name, innermost, node.number("inputs").orElse(0) > 0);
        tensors.operation(innermost);
    }

    private String nameOf(GraphNode node) {
        return node.text("name")
                .filter(name -> !name.isBlank())
                .map(tensors::shared)
                .orElse(NO_NAME);
    }

    private Optional<CapturedOperation> openOperation(String name) {
        return CapturedOperation.nearest(innermost, operation -> operation.name.equals(name));
    }

    /** Ends the innermost open operation of the name, and those in it, which older captures left open at an exception. */
    private void ended(GraphNode node) {
        String name = nameOf(node);
        if (node.isAborted()) {
            aborted(name, node.text("abort_reason").orElse(""));
        }
        Optional<CapturedOperation> ending = openOperation(name);
        if (ending.isEmpty()) {
            notes.skipped("end of an operation that did not begin");
            return;
        }
        int began = ending.get().node;
        for (CapturedOperation open = innermost; open != null && open != ending.get(); open = open.caller) {
            notes.skipped("operation without an end");
            unreturned(open.name, open.node);
        }
        innermost = ending.get().caller;
        if (innermost == null) {
            snapshots.ifPresent(all -> all.operationEnded(began, name, number));
        }
    }

    private void aborted(String name, String reason) {
        int began = openOperation(name).map(operation -> operation.node).orElse(number);
        unreturned(name, began);
        String left = name + " (node " + number + ")";
        if (withoutAddress > 0) {
            notes.exception(left, reason, range -> Optional.empty());
        } else {
            recordException(
                    left,
                    reason,
                    buffers.values().stream().filter(buffer -> !buffer.isFromBefore && buffer.freedAt > began));
        }
    }

    /** The result of an operation that did not return has no tensor, and memory of the runtime has none either. */
    private void unreturned(String name, int began) {
        long unknown = 0;
        for (int last = ofRuntime.size() - 1; last >= 0 && ofRuntime.get(last).node > began; last--) {
            unknown += ofRuntime.remove(last).isAllocated() ? 1 : 0;
        }
        recordUnreturned(name + " (node " + began + ")", unknown);
    }

    private void enterPhase() {
        Phase before = phase.equals(Phase.START) ? Phase.START : BETWEEN;
        enter(CapturedOperation.nameOfOutermost(innermost).map(Phase::new).orElse(before));
    }

    // Buffers

    private void allocated(GraphNode node) {
        reports++;
        CapturedBuffer buffer = buffers.get(node.connection());
        if (buffer == null) {
            buffer = new CapturedBuffer(number, new int[0], false, GraphNode.NONE, tensors);
        } else if (buffer.isAllocated()) {
            contradicted("allocates the buffer of node " + buffer.node + " again");
            return;
        } else if (!buffer.isFromBefore) {
            buffer = buffer.reused();
        } else if (buffer.freedAt == GraphNode.NONE && buffer.isUsedBefore(number)) {
            contradicted("allocates the buffer of node " + buffer.node + ", which a tensor used before");
        }
        long size = node.number("size").orElse(buffer.size);
        OptionalLong address = node.number("address");
        coarseTypes += node.namesCoarseType() ? 1 : 0;
        Optional<BufferType> type = node.bufferType();
        if (type.isEmpty() || address.isEmpty() || size < 0) {
            String missing = type.isEmpty() ? "memory" : address.isEmpty() ? "address" : "size";
            contradicted("allocates a buffer without a valid " + missing);
            return;
        }
        buffer.size = size;
        buffer.hasAddress = address.getAsLong() != 0;
        withoutAddress += buffer.hasAddress ? 0 : 1;
        allocated(
                buffer,
                new RecordedAddress(node.device(), type.get(), buffer.hasAddress ? address.getAsLong() : buffer.node));
    }

    private void allocated(CapturedBuffer buffer, RecordedAddress memory) {
        enterPhase();
        CapturedBuffer before = at(memory);
        if (before != null) {
            contradicted("allocates an address at which the buffer of node " + before.node
                    + " is allocated, whose free is missing");
            freed(before);
        }
        if (buffer.hasAddress) {
            snapshots.ifPresent(all -> all.allocated(memory, number));
        }
        buffer.memory = memory;
        buffer.isFromBefore = false;
        buffer.freedAt = GraphNode.NONE;
        buffer.innermost = innermost;
        buffer.operation = CapturedOperation.nameOfOutermost(innermost);
        buffer.isOfRuntime = buffer.hasNoTensor && isOfRuntime(memory.type());
        if (buffer.isOfRuntime) {
            ofRuntime.add(buffer);
        }
        buffers.put(buffer.node, buffer);
        recordAllocation(buffer, buffer.operation, Optional.empty());
    }

    /**
     * Returns whether a buffer without a tensor, which is allocated now, is the runtime's: that of a program that is being
     * prepared, or a kernel binary, which lies in DRAM. A capture without tensors and programs shows nothing of it.
     */
    private boolean isOfRuntime(BufferType type) {
        return CapturedOperation.nearest(
                        innermost,
                        operation -> operation.runsProgram || (type == BufferType.DRAM && operation.takesTensors))
                .isPresent();
    }

    private void freed(GraphNode node) {
        reports++;
        boolean hasEdge = node.connection() != GraphNode.NONE;
        coarseTypes += !hasEdge && node.namesCoarseType() ? 1 : 0;
        CapturedBuffer buffer = hasEdge ? buffers.get(node.connection()) : at(node.memory());
        if (buffer == null) {
            freedUnknown(node);
        } else if (buffer.isFromBefore) {
            buffer.freedAt = number;
            freedFromBefore(node);
        } else if (!buffer.isAllocated()) {
            contradicted("frees the buffer of node " + buffer.node + ", which was freed before");
        } else if (!buffer.mayBeFreedBy(node)) {
            contradicted("frees the buffer of node " + buffer.node
                    + ", whose allocation has another address, size, type or device");
        } else {
            enterPhase();
            freed(buffer);
        }
    }

    private void freed(CapturedBuffer buffer) {
        if (buffer.hasAddress) {
            snapshots.ifPresent(all -> all.freed(buffer.memory(), number));
        }
        buffer.freedAt = number;
        recordFree(buffer);
    }

    /** A buffer from before the capture need not have a node; one of the capture must be named. */
    private void freedUnknown(GraphNode node) {
        boolean mayBeFromBefore = node.connection() == GraphNode.NONE
                && (places().isEmpty() || node.number("address").orElse(0) != 0);
        if (mayBeFromBefore) {
            freedFromBefore(node);
        } else {
            contradicted("frees a buffer that no node describes");
        }
    }

    private void freedFromBefore(GraphNode node) {
        freedFromBefore++;
        RecordedAddress memory = node.memory();
        if (memory != null) {
            snapshots.ifPresent(all -> all.freedFromBefore(memory, number));
        }
    }

    // The end

    RuntimeOutput finish(String name) {
        Optional<String> ofCalls = calls.flatMap(python -> python.nameLines(tensors.operations()));
        for (CapturedOperation open = innermost; open != null; open = open.caller) {
            unreturned(open.name, open.node);
        }
        buffers.values().forEach(this::checkUsers);
        unread.forEach((what, count) -> lost(count, count + " × " + what));
        if (!hasEnd && nodes == 0) {
            lost(-1, "the capture has no nodes");
        } else if (!hasEnd) {
            lost(-1, "the capture has no capture_end, so what follows " + lastNode() + " is not in it");
        }
        snapshots.ifPresent(all -> all.report(this));
        stop();
        ofCalls.ifPresent(notes::add);
        addNotes();
        return end(name, OutputFormat.GRAPH_CAPTURE, OptionalInt.empty(), nodes, reports);
    }

    private void checkUsers(CapturedBuffer buffer) {
        boolean isWhole = nodes == next;
        OptionalInt other = buffer.nonTensorUserBefore(next);
        if (isWhole && other.isPresent()) {
            lost(
                    1,
                    "node " + buffer.node + ", a buffer, has an edge to node " + other.getAsInt()
                            + ", which is no tensor");
        }
        if (buffer.isUsedAfterFree()) {
            lost(
                    1,
                    "node " + buffer.freedAt + " frees the buffer of node " + buffer.node
                            + ", which a later tensor uses");
        }
    }

    private void addNotes() {
        snapshots.ifPresent(all -> all.addNotes(notes));
        long before =
                buffers.values().stream().filter(buffer -> buffer.isFromBefore).count();
        notes.add(
                before + freedFromBefore,
                "Buffers from before the capture are not judged: %2$d in use, of which %3$d freed.",
                before,
                freedFromBefore);
        notes.add(
                withoutAddress,
                "%d [allocation has|allocations have] no address, as nothing was dispatched (NO_DISPATCH). The number of the"
                        + " buffer's node stands for it.");
        notes.add(
                coarseTypes,
                "The capture names L1 and DRAM only: L1_SMALL counts as L1, and the trace region as DRAM.");
        if (innermost != null) {
            notes.add(
                    Stream.iterate(innermost, Objects::nonNull, operation -> operation.caller)
                            .count(),
                    "%d [operation has|operations have] no end; the innermost is %s (node %d).",
                    innermost.name,
                    innermost.node);
        }
    }
}
