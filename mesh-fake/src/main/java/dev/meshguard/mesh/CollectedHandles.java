package dev.meshguard.mesh;

import dev.meshguard.mesh.runtime.HandleRelease;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handles of a mesh and its submeshes that may be collected, and what their destructors would do.
 *
 * <p>Whoever hands out something that must be freed says so with {@link #watch}; what is done when the handle is gone must not
 * refer to it, or it never is. The queue of the collector is only looked at when {@link #freeCollected} is called. A thread
 * that waits for it (a {@code java.lang.ref.Cleaner}) would free at any time: between two statements of a program that has one
 * thread, in whichever phase the test is, or while the mesh is closed. So nothing here runs by itself.
 *
 * <p>Does nothing, and keeps nothing, under {@link HandleRelease#EXPLICIT}. Guarded by the lock of the mesh, which callers
 * hold.
 */
final class CollectedHandles {

    private static final Logger logger = LoggerFactory.getLogger(CollectedHandles.class);

    private final HandleRelease choice;
    private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    /** A reference that is not reachable itself is never queued. */
    private final Set<Watched> watched = new HashSet<>();

    CollectedHandles(HandleRelease choice) {
        this.choice = choice;
    }

    /**
     * Notes what to do once a handle was collected; it happens at most once.
     *
     * @param destructor must be harmless if everything was freed before, and must not refer to the handle
     */
    void watch(Object handle, Runnable destructor) {
        if (choice == HandleRelease.ON_COLLECT) {
            watched.add(new Watched(handle, queue, destructor));
        }
    }

    /** Does what the destructors of the handles would have done that were collected since the last call. */
    void freeCollected() {
        if (watched.isEmpty()) {
            return;
        }
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

        /** Nobody called for it, so a error can be told to nobody. */
        private void destroy() {
            try {
                destructor.run();
            } catch (IllegalStateException refusal) {
                logger.warn("A handle was collected and could not be given back: {}", refusal.getMessage());
            }
        }
    }
}
