package dev.meshguard.weave;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The classes that one watcher watches. Threads that load classes call its methods too. */
interface Watch {

    /** Returns whose it is. */
    Object watcher();

    /** Returns what is added to a class, by its internal name. */
    Optional<ClassPlan> planOf(String name, @Nullable ClassLoader loader);

    /** Returns whether nothing is passed on now. */
    default boolean isIdle() {
        return false;
    }

    /** A report of an object failed. It must not allocate memory: there may be none left. */
    default void lost(ClosingCalls thread, Object object, Throwable failure) {}

    /** A class lacks its calls, for ever. */
    default void notWoven(String name, @Nullable ClassLoader loader, String reason) {}
}
