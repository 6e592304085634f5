package dev.meshguard.tracker.script;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Creates garbage and waits for its collection. */
public final class CollectedGarbage {

    private static final int MOST_COLLECTIONS = 500;
    private static final long MOST_MILLIS = 60_000;

    private CollectedGarbage() {}

    /** Makes something and loses it; what is returned tells when it was collected. */
    public static <T> WeakReference<T> of(Supplier<T> made) {
        return new WeakReference<>(made.get());
    }

    /**
     * Returns once a lost object was collected and all references to it are in their queues.
     *
     * <p>The JVM fills the queues from a list, in a thread of its own and in no fixed order. It takes the next list only when it has
     * emptied the one before. So a second object, collected after the first one's reference arrived, proves the first list empty.
     */
    public static void collect(WeakReference<?> lost) {
        collectUntil(() -> lost.refersTo(null));
        awaitAnEnqueuedReference();
        awaitAnEnqueuedReference();
    }

    private static void awaitAnEnqueuedReference() {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        PhantomReference<Object> reference = new PhantomReference<>(new Object(), queue);
        collectUntil(() -> reference.refersTo(null));
        try {
            if (queue.remove(MOST_MILLIS) != reference) {
                throw new AssertionError("A collected reference did not arrive in " + MOST_MILLIS + " ms");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Asks for collections until something has come true. */
    public static void collectUntil(BooleanSupplier hasHappened) {
        for (int collections = 0; !hasHappened.getAsBoolean(); collections++) {
            if (collections == MOST_COLLECTIONS) {
                throw new AssertionError(MOST_COLLECTIONS + " collections were not enough");
            }
            System.gc();
        }
    }
}
