package dev.meshguard.tracker.internal;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * The key of an object that is compared by identity and held weakly: its {@code equals} and {@code hashCode} are never called.
 */
@API(status = Status.INTERNAL, since = "0.1")
public class WeakIdentity extends WeakReference<Object> {

    private final int hash;

    /** Creates a key to look an object up. */
    public WeakIdentity(Object object) {
        this(object, null);
    }

    /**
     * Creates a key.
     *
     * @param collected receives the key when the object was collected
     */
    public WeakIdentity(Object object, @Nullable ReferenceQueue<Object> collected) {
        super(object, collected);
        this.hash = System.identityHashCode(object);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The key of a collected object is still that key.
    public final boolean equals(@Nullable Object other) {
        if (this == other) {
            return true;
        }
        Object object = get();
        return object != null && other instanceof WeakIdentity key && key.refersTo(object);
    }

    @Override
    public final int hashCode() {
        return hash;
    }
}
