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

    /** Some objects of a class are not seen. */
    default void notWatched(String className, String reason) {}

    /** A class has a method that would get calls, if it were not native. */
    default void hasNativeMethod(String className) {}
}
