package dev.meshguard.junit.internal;

import java.time.Duration;

/** The clock for the wait for late frees. */
public interface GraceTimer {

    /** Returns the nanoseconds since some moment. */
    long nanoTime();

    /** Suspends the calling thread. */
    void sleep(Duration duration) throws InterruptedException;

    /** Returns the system clock. */
    static GraceTimer ofMachine() {
        return new GraceTimer() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public void sleep(Duration duration) throws InterruptedException {
                Thread.sleep(duration.toMillis());
            }
        };
    }
}
