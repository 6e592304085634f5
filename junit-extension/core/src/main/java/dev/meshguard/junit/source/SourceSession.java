package dev.meshguard.junit.source;

import dev.meshguard.event.FreeSpace;
import dev.meshguard.event.Phase;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory of one test, class or suite.
 *
 * <p>Methods are called in the order {@link #resolve}, {@link #begin} and {@link #freeSpace} any number of times,
 * {@link #endParts}, {@link #close}, by one thread at a time.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface SourceSession {

    /** Returns the object to inject for a parameter type of the source; the same for each request. */
    Object resolve(Class<?> type);

    /** Begins a phase of the test. */
    default void begin(Phase phase) {}

    /** Returns the free space that allocators report now. */
    default List<FreeSpace> freeSpace() {
        return List.of();
    }

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
