package dev.meshguard.weave;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Receives each call of a watched method when it begins, with its object and its argument; see {@link Weaver#watchCalls}.
 *
 * <p>The calling thread calls it, and it must not throw. Calls that it makes itself are not reported.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
@FunctionalInterface
public interface CallWatcher {

    /**
     * A method begins.
     *
     * @param argument null if the method has no parameter, or one of a primitive type other than {@code int}
     */
    void called(Object receiver, String method, @Nullable Object argument);
}
