package dev.meshguard.junit.internal;

import java.time.Duration;

/** The time by which late frees are waited for. */
public interface GraceTimer {

    /** Returns the nanoseconds since some moment. */
    long nanoTime();

    /** Lets the calling thread rest. */
    void sleep(Duration duration) throws InterruptedException;

    /** Returns the time of the machine. */
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
