package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** The tensors of one buffer, each once, with the operations that use it; few of both are kept. */
final class BufferTensors {

    private static final int MAX_TENSORS = 8;
    private static final int MAX_USERS = 8;

    private final Map<Long, RemainingBuffer.Tensor> byId = new LinkedHashMap<>();

    /** Adds a tensor, or operations that use a known one; a tensor without a number has that of its node. */
    void add(OptionalInt node, OptionalLong id, Optional<String> shape, List<String> users) {
        long key = id.orElseGet(() -> -1L - node.orElse(0));
        RemainingBuffer.Tensor known = byId.get(key);
        if (known != null && !users.isEmpty()) {
            Set<String> all = new LinkedHashSet<>(known.users());
            users.stream().takeWhile(user -> all.size() < MAX_USERS).forEach(all::add);
            byId.put(key, new RemainingBuffer.Tensor(known.node(), known.id(), known.shape(), List.copyOf(all)));
        } else if (known == null && byId.size() < MAX_TENSORS) {
            List<String> first = users.stream().distinct().limit(MAX_USERS).toList();
            byId.put(key, new RemainingBuffer.Tensor(node, id, shape, first));
        }
    }

    /** Adds the tensors of another buffer at the same place. */
    void addAll(BufferTensors others) {
        others.byId.values().forEach(tensor -> add(tensor.node(), tensor.id(), tensor.shape(), tensor.users()));
    }

    /** Returns the first shape that is known. */
    Optional<String> shape() {
        return byId.values().stream().flatMap(tensor -> tensor.shape().stream()).findFirst();
    }

    /** Returns them in the order in which they were added. */
    List<RemainingBuffer.Tensor> all() {
        return List.copyOf(byId.values());
    }
}
