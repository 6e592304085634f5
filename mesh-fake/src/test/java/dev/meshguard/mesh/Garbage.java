package dev.meshguard.mesh;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Makes garbage and has it collected. */
final class Garbage {

    private static final int MOST_COLLECTIONS = 500;

    private Garbage() {}

    /** Makes something and loses it; what is returned tells when it was collected. */
    static <T> WeakReference<T> of(Supplier<T> made) {
        return new WeakReference<>(made.get());
    }

    /** Returns when something lost is gone and everybody who waits for that was told. */
    static void collect(WeakReference<?> lost) {
        collectUntil(() -> lost.get() == null);
        ReferenceQueue<Object> told = new ReferenceQueue<>();
        PhantomReference<Object> later = new PhantomReference<>(new Object(), told);
        collectUntil(() -> told.poll() == later);
    }

    /** Asks for collections until something has come true. */
    static void collectUntil(BooleanSupplier hasHappened) {
        for (int collections = 0; !hasHappened.getAsBoolean(); collections++) {
            if (collections == MOST_COLLECTIONS) {
                throw new AssertionError(MOST_COLLECTIONS + " collections were not enough");
            }
            System.gc();
        }
    }
}
