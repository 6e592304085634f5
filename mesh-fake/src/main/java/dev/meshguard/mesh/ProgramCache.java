package dev.meshguard.mesh;

import dev.meshguard.event.CacheKey;
import dev.meshguard.mesh.internal.dispatch.CommandQueue;
import dev.meshguard.mesh.tensor.OperationProfile;
import dev.meshguard.mesh.tensor.TensorDistribution;
import dev.meshguard.mesh.tensor.TensorSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The workloads of operations that were run before, for reuse without compiling.
 *
 * <p>Every entry keeps its kernel binary in DRAM. In steady state this is one block for each distinct operation, which looks
 * like a leak until the cache is cleared. Closing the mesh does not clear it. Guarded by the lock of the mesh, which callers
 * hold. Source: {@code tt_metal/api/tt-metalium/program_cache.hpp}.
 */
final class ProgramCache {

    private static final String NAME = "program cache";

    private final MeshDevice mesh;
    private final Map<Key, MeshWorkload> workloads = new LinkedHashMap<>();
    private boolean enabled = true;

    ProgramCache(MeshDevice mesh) {
        this.mesh = mesh;
    }

    /**
     * Runs the cached workload of an operation, or a new one, which ends at once if the cache is disabled.
     *
     * <p>A new one is cached before it is enqueued, so it remains cached if that fails, as in
     * {@code ttnn/api/ttnn/device_operation.hpp}.
     */
    void run(Key key, Supplier<MeshWorkload> compiler) {
        MeshWorkload cached = workloads.get(key);
        if (cached != null) {
            enqueue(cached);
            return;
        }
        requireCompilable(key);
        MeshWorkload compiled = compiler.get();
        if (enabled) {
            workloads.put(key, compiled);
            compiled.keptBy(NAME, key.reported(), mesh.context().reports().listener());
            enqueue(compiled);
        } else {
            try {
                enqueue(compiled);
            } finally {
                compiled.close();
            }
        }
    }

    /**
     * Checks that the queue accepts what an operation enqueues to compile its program, if none is cached.
     *
     * <p>The runtime fails later, when it writes the first buffer of the program. But a buffer that a capture allocates and
     * frees counts as one that replays write, and they write nothing of a failed operation. So nothing is allocated for it.
     */
    void requireCompilable(Key key) {
        if (workloads.containsKey(key)) {
            return;
        }
        CommandQueue queue = mesh.queues().queue(0);
        queue.requireNoOtherRecords();
        if (!key.operation().programBuffers().isEmpty()) {
            queue.requireWritable();
        }
    }

    private void enqueue(MeshWorkload workload) {
        mesh.queues().queue(0).enqueue(workload.on(mesh), Blocking.NON_BLOCKING);
    }

    void disable() {
        enabled = false;
    }

    /** Ends all cached workloads, in the order in which they were cached. */
    void clear() {
        workloads.values().forEach(MeshWorkload::close);
        workloads.clear();
    }

    int size() {
        return workloads.size();
    }

    /**
     * The properties by which two executions of an operation share programs; names of tensors are not included.
     *
     * <p>Operations of one name with different needs do not share programs, as with the attributes of an operation in the
     * runtime. The reported key omits the needs.
     *
     * @param tensors the result, and then the inputs
     */
    record Key(OperationProfile operation, List<TensorSpec> tensors) {

        static Key of(OperationProfile operation, Stream<TensorSpec> tensors) {
            return new Key(operation, tensors.map(TensorSpec::unnamed).toList());
        }

        private CacheKey reported() {
            return new CacheKey(
                    operation.operation(),
                    IntStream.range(0, tensors.size())
                            .mapToObj(index -> (index == 0 ? "result " : "") + description(tensors.get(index)))
                            .toList());
        }

        private static String description(TensorSpec tensor) {
            return tensor.shape() + " " + tensor.dataType() + " " + tensor.layout() + " " + tensor.memory()
                    + description(tensor.distribution());
        }

        private static String description(TensorDistribution distribution) {
            if (distribution instanceof TensorDistribution.Sharded one) {
                return " sharded(" + one.dimension() + ")";
            } else if (distribution instanceof TensorDistribution.Sharded2d both) {
                return " sharded2d(" + both.dimension0() + ", " + both.dimension1() + ")";
            }
            return "";
        }
    }
}
