package dev.meshguard.tracker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The scopes that threads have opened and not closed, each with a value. Safe for use by several threads. */
final class ThreadScopes<T> {

    /** The open scopes of each thread, the innermost last. */
    private final Map<Thread, List<Opened<T>>> threads = new ConcurrentHashMap<>();

    /** An open scope. It is no record, because two scopes with one value are two scopes. */
    private static final class Opened<T> {
        private final T value;

        private Opened(T value) {
            this.value = value;
        }
    }

    /** Opens a scope of the calling thread. Any thread may close it, in any order, and twice. */
    Scope open(T value) {
        Thread thread = Thread.currentThread();
        Opened<T> mine = new Opened<>(value);
        threads.compute(thread, (unused, outer) -> {
            List<Opened<T>> open = outer == null ? new ArrayList<>() : new ArrayList<>(outer);
            open.add(mine);
            return open;
        });
        return () -> threads.computeIfPresent(thread, (unused, open) -> {
            List<Opened<T>> rest = new ArrayList<>(open);
            rest.remove(mine);
            return rest.isEmpty() ? null : rest;
        });
    }

    /** Returns the value of the calling thread's innermost scope, or null if it has none. */
    @Nullable
    T current() {
        List<Opened<T>> open = threads.isEmpty() ? null : threads.get(Thread.currentThread());
        return open == null ? null : open.get(open.size() - 1).value;
    }
}
