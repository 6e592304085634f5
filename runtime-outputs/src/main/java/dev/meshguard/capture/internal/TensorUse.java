package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** Remembers the tensors and operations of a graph, to say which of them use a buffer. */
final class TensorUse {

    private static final int MAX_TENSORS = 8;
    private static final int MAX_USERS = 8;

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
    private final Map<Integer, String> operations = new HashMap<>();
    /** Few shapes and names stand in many nodes. */
    private final Map<String, String> texts = new HashMap<>();

    void tensor(int node, OptionalLong id, Optional<String> shape, int[] users) {
        tensors.put(node, new TensorNode(id, shape.map(this::shared), users));
    }

    void operation(int node, String name) {
        operations.put(node, shared(name));
    }

    String shared(String text) {
        String known = texts.putIfAbsent(text, text);
        return known == null ? text : known;
    }

    /** Returns the tensors among the users of a buffer. */
    List<RemainingBuffer.Tensor> of(CapturedBuffer buffer) {
        List<RemainingBuffer.Tensor> found = new ArrayList<>();
        for (int user : buffer.users) {
            TensorNode tensor = tensors.get(user);
            if (tensor != null && found.size() < MAX_TENSORS) {
                found.add(new RemainingBuffer.Tensor(OptionalInt.of(user), tensor.id, tensor.shape, users(tensor)));
            }
        }
        return found;
    }

    private List<String> users(TensorNode tensor) {
        Set<String> names = new LinkedHashSet<>();
        for (int user : tensor.users) {
            String name = operations.get(user);
            if (name != null && names.size() < MAX_USERS) {
                names.add(name);
            }
        }
        return List.copyOf(names);
    }
}
