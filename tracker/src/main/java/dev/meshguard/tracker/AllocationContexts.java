package dev.meshguard.tracker;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The open contexts of a tracker and the contexts of its threads. */
final class AllocationContexts {

    private final LongSupplier events;
    private final List<AllocationContext> present = new ArrayList<>();
    private final ThreadScopes<Optional<AllocationContext>> threads = new ThreadScopes<>();

    /** The open context if there is exactly one; contexts around it do not count. */
    private volatile @Nullable AllocationContext only;

    AllocationContexts(LongSupplier events) {
        this.events = events;
    }

    AllocationContext begin(String name, @Nullable AllocationContext around) {
        AllocationContext context = new AllocationContext(name, around, this, events.getAsLong());
        synchronized (present) {
            present.add(context);
            findOnly();
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

    /** Attributes the calling thread's requests to a context, or to none, until the scope is closed. */
    Scope bind(Optional<AllocationContext> context) {
        return threads.open(context);
    }

    /** Returns the context of a request of the calling thread. */
    @Nullable
    AllocationContext current() {
        Optional<AllocationContext> bound = threads.current();
        return bound == null ? only : bound.orElse(null);
    }
}
