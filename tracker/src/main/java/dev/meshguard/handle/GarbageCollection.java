package dev.meshguard.handle;

import java.util.function.IntPredicate;
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

    /** The maximum number of collections that are requested at once. */
    @API(status = Status.INTERNAL, since = "0.1")
    int MAX_COLLECTIONS = 4;

    /** The first collection may keep an object that moved from one generation of the heap to the next. */
    @API(status = Status.INTERNAL, since = "0.1")
    int PROOFS_NEEDED = 2;

    /** Requests a collection, and returns whether one is proved to have happened. */
    boolean run();

    /**
     * Requests collections, and returns how many are proved to have happened.
     *
     * @param isWorthwhile whether another one is, given the number so far
     */
    @API(status = Status.INTERNAL, since = "0.1")
    default int runWhile(IntPredicate isWorthwhile) {
        int proofs = 0;
        for (int round = 0; round < MAX_COLLECTIONS && isWorthwhile.test(proofs); round++) {
            proofs += run() ? 1 : 0;
        }
        return proofs;
    }

    /**
     * Returns the collection of this Java machine.
     *
     * <p>{@link System#gc()} guarantees nothing, and does nothing under {@code -XX:+DisableExplicitGC}. Each request
     * therefore creates an object that is garbage at once. Only if this object is collected is other garbage known to
     * be collected too. Threads that request one while another one runs share the next.
     */
    static GarbageCollection forced() {
        return ForcedCollection.OF_JVM;
    }
}
