package dev.meshguard.handle;

import java.lang.ref.WeakReference;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Forces a garbage collection and detects whether it happened.
 *
 * @since 0.1
 */
@FunctionalInterface
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface GarbageCollection {

    /** Requests a collection, and returns whether one is proved to have happened. */
    boolean run();

    /**
     * Returns the collection of this Java machine.
     *
     * <p>{@link System#gc()} guarantees nothing, and does nothing under {@code -XX:+DisableExplicitGC}. Each request
     * therefore creates an object that is garbage at once. Only if this object is collected is other garbage known to
     * be collected too.
     */
    @SuppressWarnings("DoNotCall") // There is no other way to request one.
    static GarbageCollection forced() {
        return () -> {
            WeakReference<Object> sentinel = new WeakReference<>(new Object());
            System.gc();
            return sentinel.refersTo(null);
        };
    }
}
