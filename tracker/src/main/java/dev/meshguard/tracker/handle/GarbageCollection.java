package dev.meshguard.tracker.handle;

import java.lang.ref.WeakReference;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Collects garbage, and knows whether it did.
 *
 * @since 0.1
 */
@FunctionalInterface
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface GarbageCollection {

    /** Asks for a collection, and returns whether one is proven to have happened. */
    boolean run();

    /**
     * Returns the collection of this Java machine.
     *
     * <p>{@link System#gc()} promises nothing, and does nothing under {@code -XX:+DisableExplicitGC}. So each time an object is
     * made that is garbage at once; only if that is gone afterwards, others that were garbage are gone, too.
     */
    @SuppressWarnings("DoNotCall") // There is no other way to ask for one.
    static GarbageCollection forced() {
        return () -> {
            WeakReference<Object> sentinel = new WeakReference<>(new Object());
            System.gc();
            return sentinel.refersTo(null);
        };
    }
}
