package dev.meshguard.junit.source;

import dev.meshguard.event.Phase;
import dev.meshguard.event.shortage.FreeSpace;
import java.util.List;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory of one test, class or run.
 *
 * <p>Methods are called by one thread at a time. {@link #resolve}, {@link #begin}, {@link #freeSpace} and {@link #poll} are
 * called any number of times, then {@link #endParts}, {@link #poll}, {@link #close} and again {@link #poll}. {@link #release} follows if
 * anything survived unexpectedly, and then the check. While several tests share the session, {@link #poll} and {@link #release}
 * are also called at the end of each.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface SourceSession {

    /**
     * Returns the object to inject for a parameter type of the source; the same for each request. A source without such types
     * need not implement it.
     *
     * @throws IllegalArgumentException if it gives no object of this type
     */
    default Object resolve(Class<?> type) {
        throw new IllegalArgumentException(getClass().getName() + " gives no " + type.getName()
                + ", which its source names as a parameter. Implement resolve(…).");
    }

    /** Begins a phase of the test. */
    default void begin(Phase phase) {}

    /** Returns the free space that allocators report now. */
    default List<FreeSpace> freeSpace() {
        return List.of();
    }

    /**
     * Reports what has happened to handles that do not report by themselves, for example those that were closed.
     *
     * <p>Called before each look at what is allocated, also while a check waits for late frees. Until then, hold each
     * handle strongly: one that was closed and then collected cannot be asked. Compare handles by identity; their
     * {@code equals} and {@code hashCode} may call native code with memory that is gone.
     *
     * @throws RuntimeException if it cannot ask them; the verdict is then inconclusive
     */
    default void poll() {}

    /**
     * Makes strong references to the handles of survivors weak: who else holds them is searched next.
     *
     * <p>Called before a search for the handles. Keep all other handles: they may be those of other tests, which share the session.
     *
     * @param survivors the handles of memory that is still allocated, compared by identity
     */
    default void release(Set<Object> survivors) {}

    /**
     * Ends the parts that are checked separately, and returns them.
     *
     * <p>If a part cannot be ended, return the parts nevertheless, and throw the error in {@link #close}. Parts that are
     * not returned are not checked.
     *
     * @throws RuntimeException if it cannot return them; the session is closed and checked nevertheless
     */
    default List<SourcePart> endParts() {
        return List.of();
    }

    /**
     * Closes what the test left open; frees from now on are late.
     *
     * @throws RuntimeException if something cannot be closed; the check is made nevertheless
     */
    void close();
}
