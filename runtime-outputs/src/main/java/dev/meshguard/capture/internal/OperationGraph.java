package dev.meshguard.capture.internal;

import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import dev.meshguard.event.BufferType;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** The buffers that one operation allocated and freed, by the graph that was captured of it. */
final class OperationGraph {

    /** Stands for an operation of which no graph is known. */
    static final OperationGraph UNKNOWN = new OperationGraph(false);

    /** The place of a buffer. A graph may name L1 for L1_SMALL, and DRAM for the trace region. */
    private record Place(int device, BufferType.Memory memory, long address) {

        private static Place of(Memory buffer) {
            return new Place(buffer.device(), buffer.type().memory(), buffer.address());
        }
    }

    private final boolean isKnown;
    /** The sizes of the buffers that are allocated at the end of the operation and were not at its beginning. */
    private final Map<Place, Long> allocated = new HashMap<>();

    private final Set<Place> freed = new HashSet<>();
    private final Set<Long> freedAddresses = new HashSet<>();
    private Set<Long> allocatedAddresses = Set.of();

    private OperationGraph(boolean isKnown) {
        this.isKnown = isKnown;
    }

    /**
     * Reads a graph.
     *
     * @throws IOException if it is not JSON of nodes
     */
    static OperationGraph of(String graph) throws IOException {
        OperationGraph read = new OperationGraph(true);
        GraphParser.eachNode(graph, node -> {
            switch (node.type()) {
                case "buffer_allocate" ->
                    place(node)
                            .ifPresent(place -> read.allocated.put(
                                    place, node.number(GraphNode.Param.SIZE).orElse(0)));
                case "buffer_deallocate" -> place(node).ifPresent(read::freed);
                default -> {}
            }
        });
        read.allocatedAddresses =
                read.allocated.keySet().stream().map(Place::address).collect(Collectors.toSet());
        return read;
    }

    boolean isKnown() {
        return isKnown;
    }

    private static Optional<Place> place(GraphNode node) {
        OptionalLong address = node.number(GraphNode.Param.ADDRESS);
        return address.isEmpty()
                ? Optional.empty()
                : node.bufferType().map(type -> new Place(node.device(), type.memory(), address.getAsLong()));
    }

    private void freed(Place place) {
        if (allocated.remove(place) == null) {
            freed.add(place);
        }
        freedAddresses.add(place.address);
    }

    /** Returns the size of a buffer that the operation allocated and did not free; empty if it is no such buffer. */
    OptionalLong allocated(Memory buffer) {
        Long size = allocated.get(Place.of(buffer));
        return size == null ? OptionalLong.empty() : OptionalLong.of(size);
    }

    /** Returns the addresses of the buffers that the operation allocated and did not free. */
    Set<Long> allocatedAddresses() {
        return allocatedAddresses;
    }

    /**
     * Returns whether the operation may have allocated a buffer at an address at which another one was before.
     *
     * <p>A graph may number devices in another way than snapshots do. So an allocation at the same address of another device
     * counts too, unless the snapshot has a new buffer there.
     */
    boolean mayHaveAllocated(Memory buffer, Set<Memory> newInSnapshot) {
        if (!allocatedAddresses.contains(buffer.address()) || allocated.containsKey(Place.of(buffer))) {
            return allocatedAddresses.contains(buffer.address());
        }
        Set<Place> explained = newInSnapshot.stream().map(Place::of).collect(Collectors.toSet());
        return allocated.keySet().stream()
                .anyMatch(place -> place.address == buffer.address() && !explained.contains(place));
    }

    /** Returns whether the operation freed a buffer that existed before it. */
    boolean freed(Memory buffer) {
        return freed.contains(Place.of(buffer));
    }

    /** Returns whether the operation freed other buffers at the address of this one, and not this one. */
    boolean freedOnlyOthersAt(Memory buffer) {
        return isKnown && freedAddresses.contains(buffer.address()) && !freed(buffer);
    }
}
