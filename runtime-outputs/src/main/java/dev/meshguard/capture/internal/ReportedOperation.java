package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** An operation in a report database of ttnn, with the snapshot at its end, and what shows which of its buffers it allocated and freed. */
final class ReportedOperation {

    private static final String NO_NAME = "an operation without a name";

    /** The operations that free their input. */
    private static final Set<String> FREES = Set.of("ttnn.deallocate", "ttnn::deallocate", "Tensor::deallocate");

    final long id;

    /** The name, or words for an operation without one. */
    final String name;

    /** Whether the process ended in it, or an exception left it. */
    final boolean hasFailed;

    /** The sizes of the buffers in its snapshot. */
    final Map<RecordedAddress, Long> snapshot = new LinkedHashMap<>();

    /** The rows of its snapshot; those that cannot be read are among them. */
    long rows;

    boolean isWhole = true;
    final Map<RecordedAddress, TensorsOfBuffer> inputs = new HashMap<>();
    final Map<RecordedAddress, TensorsOfBuffer> results = new HashMap<>();
    OperationGraph graph = OperationGraph.UNKNOWN;

    ReportedOperation(long id, Optional<String> name, boolean hasFailed) {
        this.id = id;
        this.name = name.filter(text -> !text.isBlank()).orElse(NO_NAME);
        this.hasFailed = hasFailed;
    }

    /** Returns the name with the number. */
    String numberedName() {
        return name + " (operation " + id + ")";
    }

    Optional<String> knownName() {
        return name.equals(NO_NAME) ? Optional.empty() : Optional.of(name);
    }

    /** Adds a tensor that it takes or returns. */
    void tensor(boolean isResult, long tensor, Optional<String> shape, RecordedAddress memory) {
        (isResult ? results : inputs)
                .computeIfAbsent(memory, first -> new TensorsOfBuffer())
                .add(new RemainingBuffer.Tensor(
                        OptionalInt.empty(),
                        OptionalLong.of(tensor),
                        shape,
                        isResult ? List.of() : List.of(numberedName())));
    }

    /** Returns whether it demonstrably freed what was allocated at a place before it. */
    boolean isFreed(RecordedAddress memory) {
        return graph.freed(memory) || (graph.mayFree() && FREES.contains(name) && inputs.containsKey(memory));
    }

    /** Returns whether it demonstrably allocated what is allocated at a place after it. */
    boolean isAllocated(RecordedAddress memory) {
        return graph.allocated(memory).isPresent() || (results.containsKey(memory) && !inputs.containsKey(memory));
    }

    /**
     * Returns whether a buffer that is in both snapshots may have been freed and allocated again. Without a graph, a result at
     * its address is new, or the operation worked in place.
     *
     * @param changed the places at which the snapshot has other buffers than the last one
     */
    boolean mayBeRenewed(RecordedAddress memory, Set<RecordedAddress> changed) {
        return graph.isKnown ? graph.mayHaveAllocated(memory, changed) : results.containsKey(memory);
    }

    /**
     * Returns whether an operation without rows shows that nothing is allocated. Otherwise its snapshot may be missing: it must
     * have the results, and each buffer that is not certainly freed.
     */
    boolean isEmptyAfter(Set<RecordedAddress> allocatedBefore) {
        return !hasFailed
                && results.isEmpty()
                && (graph.isKnown || FREES.contains(name))
                && allocatedBefore.stream().allMatch(this::isFreed);
    }

    /**
     * Returns the addresses of buffers that it demonstrably allocated and that its snapshot does not have; the graph may count
     * devices differently.
     *
     * @param isFirst whether its snapshot is the first, so that a result tells what of it is judged
     */
    Set<Long> missingAddresses(boolean isFirst) {
        Set<Long> missing = new HashSet<>(graph.allocatedAddresses);
        snapshot.keySet().forEach(memory -> missing.remove(memory.address()));
        if (isFirst) {
            results.keySet().stream()
                    .filter(result -> !inputs.containsKey(result)
                            && snapshot.keySet().stream()
                                    .noneMatch(memory ->
                                            memory.type() == result.type() && memory.address() == result.address()))
                    .forEach(result -> missing.add(result.address()));
        }
        return missing;
    }

    /** Returns the shape of its result at a place, if that is known. */
    Optional<String> resultShape(RecordedAddress memory) {
        return Optional.ofNullable(results.get(memory)).flatMap(TensorsOfBuffer::shape);
    }
}
