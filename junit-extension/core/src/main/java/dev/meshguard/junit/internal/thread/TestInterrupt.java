package dev.meshguard.junit.internal.thread;

import dev.meshguard.tracker.Scope;

/** The interrupt that the code of a test may leave on its thread, which must not end the waits of a check. */
public final class TestInterrupt {

    private TestInterrupt() {}

    /** Clears an interrupt of the calling thread, and restores it when the scope is closed. A later one ends waits as usual. */
    public static Scope suspended() {
        return Thread.interrupted() ? Thread.currentThread()::interrupt : () -> {};
    }
}
