package dev.meshguard.tracker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who shares a tracker now, and which threads are whose.
 *
 * <p>Asked at each request, so a tracker that nobody shares pays one read of a field.
 */
final class AllocationContexts {

    private final IntSupplier marks;
    private final List<AllocationContext> present = new ArrayList<>();
    private final Map<Thread, List<Binding>> threads = new ConcurrentHashMap<>();

    /** Whether there ever was one. */
    private volatile boolean isShared;

    /** The one who is there, if there is exactly one; those around it do not count. */
    private volatile @Nullable AllocationContext only;

    /** One open scope; without a tenant, what the thread asks for counts to nobody. */
    private record Binding(@Nullable AllocationContext context) {}

    AllocationContexts(IntSupplier marks) {
        this.marks = marks;
    }

    AllocationContext begin(String name, @Nullable AllocationContext around) {
        AllocationContext tenant = new AllocationContext(name, around, this, marks.getAsInt());
        synchronized (present) {
            present.add(tenant);
            findOnly();
            isShared = true;
        }
        return tenant;
    }

    void close(AllocationContext tenant) {
        synchronized (present) {
            present.remove(tenant);
            findOnly();
        }
    }

    private void findOnly() {
        List<AllocationContext> innermost = new ArrayList<>(present);
        present.forEach(tenant -> tenant.around().ifPresent(innermost::remove));
        only = innermost.size() == 1 ? innermost.get(0) : null;
    }

    Scope bind(Thread thread, @Nullable AllocationContext tenant) {
        Binding mine = new Binding(tenant);
        threads.compute(thread, (unused, outer) -> outer == null ? List.of(mine) : appended(outer, mine));
        return () -> threads.computeIfPresent(thread, (unused, open) -> without(open, mine));
    }

    /** Returns to whom a request of the calling thread counts. */
    @Nullable
    AllocationContext current() {
        if (!isShared) {
            return null;
        }
        List<Binding> open = threads.get(Thread.currentThread());
        return open == null ? only : open.get(open.size() - 1).context();
    }

    private static List<Binding> appended(List<Binding> open, Binding binding) {
        List<Binding> more = new ArrayList<>(open);
        more.add(binding);
        return more;
    }

    @SuppressWarnings("ReferenceEquality") // Two scopes of one tenant are two scopes.
    private static @Nullable List<Binding> without(List<Binding> open, Binding binding) {
        List<Binding> rest =
                open.stream().filter(candidate -> candidate != binding).toList();
        return rest.isEmpty() ? null : rest;
    }
}
