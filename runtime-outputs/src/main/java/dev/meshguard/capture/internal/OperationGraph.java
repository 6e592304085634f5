package dev.meshguard.capture.internal;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.meshguard.event.BufferType;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The buffers that one operation left allocated, and the earlier ones that it freed, read from the graph that was captured of it.
 *
 * <p>Places join the nodes, and not edges: the importer cuts the graph out of that of a whole report, and an edge to a node
 * outside keeps its number there, which another node has here.
 */
final class OperationGraph {

    /** Stands for an operation of which no graph is known. */
    static final OperationGraph UNKNOWN = new OperationGraph(false);

    /** The place of a buffer. A graph may name L1 for L1_SMALL, and DRAM for the trace region. */
    private record Place(int device, BufferType.Memory memory, long address) {

        private static Place of(RecordedAddress buffer) {
            return new Place(buffer.device(), buffer.type().memory(), buffer.address());
        }
    }

    /** Whether the graph is known. */
    final boolean isKnown;
    /** The sizes of the buffers that are allocated at the end of the operation and were not at its beginning. */
    private final Map<Place, Long> allocated = new HashMap<>();

    private final Set<Place> freed = new HashSet<>();
    private final Set<Long> freedAddresses = new HashSet<>();

    /** The addresses of these buffers. */
    Set<Long> allocatedAddresses = Set.of();

    private final Set<Integer> withoutTensor = new HashSet<>();
    /** The runtime's among the buffers that are allocated at the end, as {@link CaptureRecorder} finds it. */
    private final Set<Place> ofRuntime = new HashSet<>();

    private boolean takesTensors;
    private boolean runsProgram;
    private boolean freesMemory;
    private boolean isReadable = true;

    private OperationGraph(boolean isKnown) {
        this.isKnown = isKnown;
    }

    /**
     * Reads a graph.
     *
     * @throws IOException if it is not JSON of nodes with possible values
     */
    static OperationGraph of(String graph) throws IOException {
        OperationGraph read = new OperationGraph(true);
        try (JsonParser json = GraphJson.FACTORY.createParser(graph)) {
            boolean isArray = json.nextToken() == JsonToken.START_ARRAY;
            if (!isArray || GraphNode.each(json, GraphNode.KEYS_OF_NODE, read::add) > 0 || !read.isReadable) {
                throw new IOException("it is no array of nodes with possible values");
            }
        }
        read.allocatedAddresses =
                read.allocated.keySet().stream().map(Place::address).collect(Collectors.toSet());
        return read;
    }

    private void add(GraphNode node) {
        isReadable &= node.impossibleValue().isEmpty();
        runsProgram |= node.isOfProgram();
        switch (node.type) {
            case "function_start" -> takesTensors |= node.number("inputs").orElse(0) > 0;
            case "buffer" -> {
                if (node.hasNoEdge()) {
                    withoutTensor.add(node.counter());
                }
            }
            case "buffer_allocate" ->
                place(node).ifPresentOrElse(place -> allocated(place, node), () -> isReadable = false);
            case "buffer_deallocate" -> {
                freesMemory = true;
                place(node).ifPresent(this::freed);
            }
            default -> {}
        }
    }

    private void allocated(Place place, GraphNode node) {
        allocated.put(place, node.number("size").orElse(0));
        boolean mayBeOfRuntime = runsProgram || (takesTensors && place.memory == BufferType.Memory.DRAM);
        if (mayBeOfRuntime && withoutTensor.contains(node.connection())) {
            ofRuntime.add(place);
        }
    }

    /** Returns whether the operation may have freed memory; a free need not name an address, or the device of the snapshots. */
    boolean mayFree() {
        return freesMemory || !isKnown;
    }

    private static Optional<Place> place(GraphNode node) {
        OptionalLong address = node.number("address");
        return address.isEmpty()
                ? Optional.empty()
                : node.bufferType().map(type -> new Place(node.device(), type.memory(), address.getAsLong()));
    }

    private void freed(Place place) {
        ofRuntime.remove(place);
        if (allocated.remove(place) == null) {
            freed.add(place);
        }
        freedAddresses.add(place.address);
    }

    /** Returns the size of a buffer that the operation allocated and did not free; empty if it is no such buffer. */
    OptionalLong allocated(RecordedAddress buffer) {
        Long size = allocated.get(Place.of(buffer));
        return size == null ? OptionalLong.empty() : OptionalLong.of(size);
    }

    /** Returns whether the operation allocated a buffer without a tensor for the runtime. */
    boolean isOfRuntime(RecordedAddress buffer) {
        return ofRuntime.contains(Place.of(buffer));
    }

    /**
     * Returns whether the operation may have allocated a buffer at an address at which another one was before.
     *
     * <p>A graph may number devices in another way than snapshots do. So an allocation at the same address of another device
     * counts too, unless the snapshot has a new buffer there.
     */
    boolean mayHaveAllocated(RecordedAddress buffer, Set<RecordedAddress> newInSnapshot) {
        if (!allocatedAddresses.contains(buffer.address()) || allocated.containsKey(Place.of(buffer))) {
            return allocatedAddresses.contains(buffer.address());
        }
        return allocated.keySet().stream()
                .filter(place -> place.address == buffer.address())
                .anyMatch(place -> newInSnapshot.stream().map(Place::of).noneMatch(place::equals));
    }

    /** Returns whether the operation freed a buffer that existed before it. */
    boolean freed(RecordedAddress buffer) {
        return freed.contains(Place.of(buffer));
    }

    /** Returns whether the operation freed other buffers at the address of this one, and not this one. */
    boolean freedOnlyOthersAt(RecordedAddress buffer) {
        return isKnown && freedAddresses.contains(buffer.address()) && !freed(buffer);
    }
}
