package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import dev.meshguard.capture.internal.CapturedBuffer.Memory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Remembers the tensors and operations of a graph, to say which of them use a buffer. */
final class TensorUse {

    private static final class TensorNode {
        private final OptionalLong id;
        private final Optional<String> shape;
        private final int[] users;
        /** Where its buffer lies, if the node names that. */
        private final @Nullable Memory memory;

        private TensorNode(OptionalLong id, Optional<String> shape, int[] users, @Nullable Memory memory) {
            this.id = id;
            this.shape = shape;
            this.users = users;
            this.memory = memory;
        }
    }

    private final Map<Integer, TensorNode> tensors = new HashMap<>();
    private final Map<Integer, String> operations = new HashMap<>();
    /** Few shapes and names stand in many nodes. */
    private final Map<String, String> texts = new HashMap<>();

    void tensor(int node, OptionalLong id, Optional<String> shape, int[] users, @Nullable Memory memory) {
        tensors.put(node, new TensorNode(id, shape.map(this::shared), users, memory));
    }

    /** Returns where the tensors among the users of a buffer lie; empty if they differ or do not name it. */
    Optional<Memory> memoryOf(int[] usersOfBuffer) {
        Set<Memory> memories = new HashSet<>();
        for (int user : usersOfBuffer) {
            TensorNode tensor = tensors.get(user);
            if (tensor != null && tensor.memory != null) {
                memories.add(tensor.memory);
            }
        }
        return memories.size() == 1 ? Optional.of(memories.iterator().next()) : Optional.empty();
    }

    void operation(int node, String name) {
        operations.put(node, shared(name));
    }

    String shared(String text) {
        String known = texts.putIfAbsent(text, text);
        return known == null ? text : known;
    }

    /** Returns the tensors among the users of a buffer. */
    List<RemainingBuffer.Tensor> of(int[] usersOfBuffer) {
        // A tensor has a node for each mention in newer captures, and an edge for each use in older ones.
        BufferTensors found = new BufferTensors();
        for (int user : usersOfBuffer) {
            TensorNode tensor = tensors.get(user);
            if (tensor != null) {
                List<String> users = Arrays.stream(tensor.users)
                        .mapToObj(operations::get)
                        .filter(Objects::nonNull)
                        .toList();
                found.add(OptionalInt.of(user), tensor.id, tensor.shape, users);
            }
        }
        return found.all();
    }
}
