package dev.meshguard.tracker.script;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
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

    /** Returns once a lost object was collected and all references to it are in their queues. */
    public static void collect(WeakReference<?> lost) {
        collect(List.of(lost));
    }

    /**
     * Returns once lost objects were collected and all references to them are in their queues.
     *
     * <p>The JVM fills the queues from a list, in a thread of its own and in no fixed order. It takes the next list only when it has
     * emptied the one before. So the arrival of a reference that was not cleared before the last of theirs proves that all their lists
     * were taken, and that of a second one, cleared after the first one's arrival, proves them empty.
     */
    public static void collect(List<? extends WeakReference<?>> lost) {
        awaitAReferenceClearedWith(lost);
        awaitAReferenceClearedWith(List.of());
    }

    private static void awaitAReferenceClearedWith(List<? extends WeakReference<?>> lost) {
        for (int collections = 0; collections < MOST_COLLECTIONS; collections++) {
            ReferenceQueue<Object> queue = new ReferenceQueue<>();
            PhantomReference<Object> reference = new PhantomReference<>(new Object(), queue);
            System.gc();
            if (reference.refersTo(null) && lost.stream().allMatch(one -> one.refersTo(null))) {
                await(reference, queue);
                return;
            }
        }
        throw new AssertionError(MOST_COLLECTIONS + " collections were not enough");
    }

    private static void await(PhantomReference<Object> reference, ReferenceQueue<Object> queue) {
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
