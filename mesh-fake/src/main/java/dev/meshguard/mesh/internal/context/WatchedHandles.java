package dev.meshguard.mesh.internal.context;

import dev.meshguard.mesh.runtime.HandleRelease;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.LoggerFactory;

/**
 * Watches the handles of a mesh for garbage collection, and runs the destructors of collected ones at the next call.
 *
 * <p>Code that returns a handle which must be freed registers it with {@link #watch}. The action must not refer to the handle,
 * or the handle is never collected. Only {@link #freeCollected} polls the queue of the collector. A thread that waits for the
 * queue (a {@code java.lang.ref.Cleaner}) would free at any time: between two statements of a single-threaded program, in any
 * phase of a test, or during the close of the mesh.
 *
 * <p>Does nothing, and stores nothing, under {@link HandleRelease#EXPLICIT}. Guarded by the lock of the mesh, which callers
 * hold.
 */
public final class WatchedHandles {

    private final HandleRelease choice;
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    /** A reference that is not reachable itself is never queued. */
    private final Set<Watched> watched = new HashSet<>();

    WatchedHandles(HandleRelease choice) {
        this.choice = choice;
    }

    /**
     * Registers the action to run, at most once, after a handle was collected.
     *
     * @param destructor must be harmless if everything was freed before, and must not refer to the handle
     */
    void watch(Object handle, Runnable destructor) {
        if (isWatching()) {
            watched.add(new Watched(handle, queue, destructor));
        }
    }

    /** Returns whether handles are watched; it needs no lock. */
    boolean isWatching() {
        return choice == HandleRelease.ON_COLLECT;
    }

    /** Runs the destructor actions of the handles that were collected since the last call. */
    void freeCollected() {
        for (Reference<?> found = queue.poll(); found != null; found = queue.poll()) {
            Watched gone = (Watched) found;
            watched.remove(gone);
            gone.destroy();
        }
    }

    private static final class Watched extends PhantomReference<Object> {

        private final Runnable destructor;

        Watched(Object handle, ReferenceQueue<Object> queue, Runnable destructor) {
            super(handle, queue);
            this.destructor = destructor;
        }

        /** Logs an error of a destructor, because no caller can receive it. */
        private void destroy() {
            try {
                destructor.run();
            } catch (IllegalStateException refusal) {
                LoggerFactory.getLogger(WatchedHandles.class)
                        .warn("A handle was collected and could not be freed: {}", refusal.getMessage());
            }
        }
    }
}
