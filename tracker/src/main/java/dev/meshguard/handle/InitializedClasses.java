package dev.meshguard.handle;

import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Finds the classes whose static initializer has ended, so that a search can read their static fields without waiting. The JVM lets a
 * reader wait as long as their static initializer runs elsewhere.
 */
final class InitializedClasses {

    private static final long MAX_WAIT_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private InitializedClasses() {}

    /**
     * Returns those that another thread can use. It gives up at the first that still waits for its initializer.
     *
     * @param begun classes whose code has run already
     */
    static List<Class<?>> of(Collection<Class<?>> begun) {
        Queue<Class<?>> usable = new ConcurrentLinkedQueue<>();
        // Only the JVM knows whether a class is initialised, and it tells by letting a thread wait.
        Thread waiting = new Thread(
                null,
                () -> begun.stream().filter(InitializedClasses::awaited).forEach(usable::add),
                "meshguard handle search",
                0,
                false);
        waiting.setDaemon(true);
        waiting.setContextClassLoader(null);
        waiting.start();
        try {
            waiting.join(MAX_WAIT_MILLIS);
        } catch (InterruptedException toBeEnded) {
            Thread.currentThread().interrupt();
        }
        return List.copyOf(usable);
    }

    private static boolean awaited(Class<?> begun) {
        try {
            Class.forName(begun.getName(), true, begun.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError failedBefore) {
            return false;
        }
    }
}
