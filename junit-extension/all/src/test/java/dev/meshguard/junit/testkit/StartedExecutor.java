package dev.meshguard.junit.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Creates executors whose one thread runs already, so that no test starts it. */
public final class StartedExecutor {

    private StartedExecutor() {}

    /** Returns an executor with the name of its thread, which the caller starts. */
    public static ExecutorService named(String thread) {
        ExecutorService executor = Executors.newSingleThreadExecutor(task -> {
            Thread started = new Thread(task, thread);
            started.setDaemon(true);
            return started;
        });
        CompletableFuture.runAsync(() -> {}, executor).join();
        return executor;
    }
}
