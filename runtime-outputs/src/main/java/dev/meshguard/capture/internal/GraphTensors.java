package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The tensors and operations of a graph by their nodes. */
final class GraphTensors {

    private static final class TensorNode {
        private final OptionalLong id;
        private final Optional<String> shape;
        private final int[] users;

        private TensorNode(OptionalLong id, Optional<String> shape, int[] users) {
            this.id = id;
            this.shape = shape;
            this.users = users;
        }
    }

    private final Map<Integer, TensorNode> tensors = new HashMap<>();
    private final Map<Integer, CapturedOperation> operations = new LinkedHashMap<>();
    /** Few shapes and names stand in many nodes. */
    private final Map<String, String> texts = new HashMap<>();

    void tensor(int number, GraphNode node) {
        tensors.put(
                number,
                new TensorNode(node.number("tensor_id"), node.text("shape").map(this::shared), node.connections));
    }

    void operation(CapturedOperation operation) {
        operations.put(operation.node, operation);
    }

    /** Returns the operations in their order. */
    List<CapturedOperation> operations() {
        return List.copyOf(operations.values());
    }

    String shared(String text) {
        return texts.computeIfAbsent(text, first -> first);
    }

    /** Returns whether a node is a tensor. */
    boolean has(int node) {
        return tensors.containsKey(node);
    }

    /**
     * Returns the tensors among nodes, each with the operations that take it. A tensor has a node for each mention in newer
     * captures, and an edge for each use in older ones.
     */
    List<RemainingBuffer.Tensor> of(int[] nodes) {
        TensorsOfBuffer found = new TensorsOfBuffer();
        for (int node : nodes) {
            TensorNode tensor = tensors.get(node);
            if (tensor != null) {
                List<String> users = Arrays.stream(tensor.users)
                        .mapToObj(operations::get)
                        .filter(Objects::nonNull)
                        .map(operation -> operation.name)
                        .toList();
                found.add(new RemainingBuffer.Tensor(OptionalInt.of(node), tensor.id, tensor.shape, users));
            }
        }
        return found.all();
    }
}
