package dev.meshguard.closeables;

import dev.meshguard.handle.NotSearched;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.internal.WeakIdentity;
import java.lang.ref.WeakReference;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The open handles of libraries that report nothing when one is closed.
 *
 * <p>Each handle is held strongly until it is asked, because one that was closed and then collected cannot be asked. Handles
 * are compared by identity: their {@code equals} and {@code hashCode} are never called.
 *
 * <p>Safe for use by several threads.
 */
@NotSearched
final class PolledHandles {

    private final AllocationTracker tracker;
    /** In the order in which they were tracked. Guarded by itself. */
    private final Map<WeakIdentity, Entry<?>> open = new LinkedHashMap<>();

    PolledHandles(AllocationTracker tracker) {
        this.tracker = tracker;
    }

    /** An open handle. */
    private static final class Entry<T> {

        private final Lease lease;
        private final Predicate<? super T> isClosed;
        private final WeakReference<T> weak;
        private @Nullable T strong;
        private boolean hasFailed;

        Entry(Lease lease, Predicate<? super T> isClosed, T handle) {
            this.lease = lease.handedOut(handle);
            this.isClosed = isClosed;
            this.weak = new WeakReference<>(handle);
            this.strong = handle;
        }

        /** A handle that was released and then collected is a survivor, which was reported. */
        boolean isClosed() {
            T handle = strong != null ? strong : weak.get();
            return handle != null && isClosed.test(handle);
        }
    }

    /**
     * Tracks a handle, unless it is tracked already and no poll has found it closed.
     *
     * @param handle the handle
     * @param isClosed asks it; called by the thread that polls
     * @param lease reports its memory, with an origin that skips this class; called if the handle is not tracked yet, while other
     *     threads that track handles wait
     */
    <T> void track(T handle, Predicate<? super T> isClosed, Supplier<Lease> lease) {
        synchronized (open) {
            open.computeIfAbsent(new WeakIdentity(handle), unused -> new Entry<>(lease.get(), isClosed, handle));
        }
    }

    /** Reports the handles that were closed; see {@link SourceSession#poll}. */
    void poll() {
        List<Entry<?>> asked;
        synchronized (open) {
            asked = List.copyOf(open.values());
        }
        // Without the lock, because the handles run code of their library.
        Set<Entry<?>> closed =
                asked.stream().filter(this::isClosed).collect(Collectors.toCollection(LinkedHashSet::new));
        synchronized (open) {
            // Another poll may have reported some of them meanwhile.
            closed.retainAll(Set.copyOf(open.values()));
            open.values().removeAll(closed);
        }
        closed.forEach(entry -> entry.lease.freed());
    }

    private boolean isClosed(Entry<?> entry) {
        try {
            return entry.isClosed();
        } catch (RuntimeException | Error unknown) {
            if (!entry.hasFailed) {
                entry.hasFailed = true;
                tracker.reportsLost(1, "a tracked handle did not answer whether it is closed: " + unknown);
            }
            return false;
        }
    }

    /** Holds the survivors weakly from now on; see {@link SourceSession#release}. */
    void release(Set<Object> survivors) {
        synchronized (open) {
            for (Object survivor : survivors) {
                Entry<?> entry = open.get(new WeakIdentity(survivor));
                if (entry != null) {
                    entry.strong = null;
                }
            }
        }
    }
}
