package dev.meshguard.capture.internal;

import dev.meshguard.capture.RemainingBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Collects the tensors that use one buffer, each once, with the operations that use it; few of both are kept. */
final class TensorsOfBuffer {

    private static final int MAX_TENSORS = 8;
    private static final int MAX_USERS = 8;

    private final Map<Long, RemainingBuffer.Tensor> byId = new LinkedHashMap<>();

    /** Adds a tensor, or operations that use a known one; a tensor without a number has that of its node. */
    void add(RemainingBuffer.Tensor tensor) {
        long key = tensor.id().orElseGet(() -> -1L - tensor.node().orElse(0));
        if (byId.size() < MAX_TENSORS || byId.containsKey(key)) {
            RemainingBuffer.Tensor known = byId.getOrDefault(key, tensor);
            List<String> users = Stream.concat(known.users().stream(), tensor.users().stream())
                    .distinct()
                    .limit(MAX_USERS)
                    .toList();
            byId.put(key, new RemainingBuffer.Tensor(known.node(), known.id(), known.shape(), users));
        }
    }

    /** Adds the tensors of another buffer at the same place. */
    void addAll(TensorsOfBuffer others) {
        others.byId.values().forEach(this::add);
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
