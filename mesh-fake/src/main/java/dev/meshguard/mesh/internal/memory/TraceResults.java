package dev.meshguard.mesh.internal.memory;

import dev.meshguard.mesh.internal.allocation.Allocation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/**
 * The buffers that operations in recorded traces write, on a mesh and its submeshes; reads of other buffers are not
 * reported.
 *
 * <p>Guarded by the lock of the mesh.
 */
public final class TraceResults {

    private final List<Allocation> results = new ArrayList<>();

    public void add(Allocation result) {
        results.add(result);
    }

    /** Returns the results that share memory with a buffer: a view may start within one. */
    public List<Allocation> in(Allocation buffer) {
        return allocated(buffer::meets);
    }

    /** Returns the results on some devices. */
    public List<Allocation> on(List<Integer> devices) {
        return allocated(result -> !Collections.disjoint(result.devices(), devices));
    }

    private List<Allocation> allocated(Predicate<Allocation> condition) {
        results.removeIf(Allocation::isFreed);
        return results.stream().filter(condition).toList();
    }
}
