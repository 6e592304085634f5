package dev.meshguard.junit.internal;

import java.time.Duration;

/** The clock for the wait for late frees: that of the system, unless a test replaces it. */
public interface GraceTimer {

    /** Returns the nanoseconds since some moment. */
    default long nanoTime() {
        return System.nanoTime();
    }

    /** Suspends the calling thread. */
    default void sleep(Duration duration) throws InterruptedException {
        Thread.sleep(duration.toMillis());
    }

    /** Returns the system clock. */
    static GraceTimer ofMachine() {
        return new GraceTimer() {};
    }
}
