package dev.meshguard.mockito;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a handle stands for without keeping the handle.
 *
 * <p>A handle is known by which object it is: nothing of it is called, for it may be a mock or broken.
 */
final class HandleKey extends WeakReference<Object> {

    private final int hash;

    HandleKey(Object handle, @Nullable ReferenceQueue<Object> collected) {
        super(handle, collected);
        this.hash = System.identityHashCode(handle);
    }

    /** Returns whether an object is a value of the JDK's, such as a string, that any equal one stands for. */
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
