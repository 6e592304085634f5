package dev.meshguard.weave;

import java.util.List;
import java.util.Map;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Receives what happens to objects of watched types after {@link Weaver#watch}.
 *
 * <p>The thread that runs the woven code calls it, and it must not throw. What it does itself is not reported: neither the objects that it
 * constructs nor those that it closes. Objects that were constructed earlier, or are not watched but have their closing method from the same
 * class, are reported as closed too.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public interface ObjectWatcher {

    /**
     * Returns whether no report is of use now; none is made then. It is asked before each report, but not again until {@link Weaver#wake} once
     * it has been idle while no closing method ran. It must neither construct nor close objects.
     */
    default boolean isIdle() {
        return false;
    }

    /**
     * Returns whether {@link #constructed} is called when the constructor above the watched class has returned, and not when that of the
     * class has: a constructor may close its object, or hand it to a thread that does.
     */
    default boolean isReportedAtStart() {
        return false;
    }

    /**
     * The constructor of the watched class returned, once for each object. Those of its subclasses may still run.
     *
     * @param unheard the closing methods of the object whose end is not heard, each with a sentence that says why
     */
    void constructed(Object object, Map<String, String> unheard);

    /**
     * Throws an error if there are any, for a watcher that cannot tell which of its objects are closed then.
     *
     * @param unheard the methods of {@link #constructed}
     */
    static void rejectUnheard(Map<String, String> unheard) {
        if (!unheard.isEmpty()) {
            throw new IllegalStateException("Its close is not heard: " + unheard);
        }
    }

    /** A constructor threw after {@link #constructed}, so the code under test never had the object. */
    void constructionFailed(Object object);

    /**
     * A closing method of an object ended: the one that a call of the object runs, and none that it overrides.
     *
     * @param within the closing methods of the object that the thread is still in; a test that names one of them waits for its end
     * @param reason what the method threw; null if it returned
     */
    void ended(Object object, String method, List<String> within, @Nullable Throwable reason);

    /**
     * A report of an object failed, for example because there is no memory any more; so this must not allocate any.
     *
     * @return whether the watcher reports the loss itself. Otherwise {@link Weaver#unseen} names the class from now on
     */
    default boolean lost(Object object, Throwable failure) {
        return false;
    }
}
