package dev.meshguard.mockito;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * Finds the allocation of a handle without keeping the handle reachable.
 *
 * <p>Handles are compared by identity. None of their methods is called, because a handle may be a mock or broken.
 */
final class HandleKey extends WeakReference<Object> {

    private final int hash;

    HandleKey(Object handle, @Nullable ReferenceQueue<Object> collected) {
        super(handle, collected);
        this.hash = System.identityHashCode(handle);
    }

    /** Returns whether an object is a value of the JDK, such as a string, for which any equal object can be used. */
    static boolean isValue(Object handle) {
        return handle instanceof Comparable && handle.getClass().getClassLoader() == null;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (this == other) {
            return true;
        }
        Object handle = get();
        return handle != null && other instanceof HandleKey key && key.refersTo(handle);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
