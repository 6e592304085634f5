package dev.meshguard.tracker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open contexts of a tracker and the contexts of its threads.
 *
 * <p>Every request asks it, so a tracker without contexts pays one read of a field.
 */
final class AllocationContexts {

    private final IntSupplier marks;
    private final List<AllocationContext> present = new ArrayList<>();
    private final Map<Thread, List<Binding>> threads = new ConcurrentHashMap<>();

    /** Whether there ever was a context. */
    private volatile boolean isShared;

    /** The open context if there is exactly one; contexts around it do not count. */
    private volatile @Nullable AllocationContext only;

    /** One open scope. Without a context, the requests of the thread are attributed to none. */
    private record Binding(@Nullable AllocationContext context) {}

    AllocationContexts(IntSupplier marks) {
        this.marks = marks;
    }

    AllocationContext begin(String name, @Nullable AllocationContext around) {
        AllocationContext context = new AllocationContext(name, around, this, marks.getAsInt());
        synchronized (present) {
            present.add(context);
            findOnly();
            isShared = true;
        }
        return context;
    }

    void close(AllocationContext context) {
        synchronized (present) {
            present.remove(context);
            findOnly();
        }
    }

    private void findOnly() {
        List<AllocationContext> innermost = new ArrayList<>(present);
        present.forEach(context -> context.around().ifPresent(innermost::remove));
        only = innermost.size() == 1 ? innermost.get(0) : null;
    }

    Scope bind(Thread thread, @Nullable AllocationContext context) {
        Binding mine = new Binding(context);
        threads.compute(thread, (unused, outer) -> outer == null ? List.of(mine) : appended(outer, mine));
        return () -> threads.computeIfPresent(thread, (unused, open) -> without(open, mine));
    }

    /** Returns the context of a request of the calling thread. */
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

    @SuppressWarnings("ReferenceEquality") // Two scopes of one context are two scopes.
    private static @Nullable List<Binding> without(List<Binding> open, Binding binding) {
        List<Binding> rest =
                open.stream().filter(candidate -> candidate != binding).toList();
        return rest.isEmpty() ? null : rest;
    }
}
