package dev.meshguard.junit.testkit;

import dev.meshguard.junit.internal.GraceTimer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** A clock that advances only during sleeps, with scheduled actions. */
public final class SteppedTimer implements GraceTimer {

    private final TreeMap<Duration, Runnable> planned = new TreeMap<>();
    private Duration now = Duration.ZERO;
    private boolean interrupts;

    /** Runs an action at a moment, on the sleeping thread. */
    public void at(Duration moment, Runnable happening) {
        planned.put(moment, happening);
    }

    /** Interrupts the next sleep. */
    public void interruptSleep() {
        interrupts = true;
    }

    /** Returns the elapsed time. */
    public Duration now() {
        return now;
    }

    @Override
    public long nanoTime() {
        return now.toNanos();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (interrupts || Thread.interrupted()) {
            throw new InterruptedException();
        }
        now = now.plus(duration);
        while (!planned.isEmpty() && planned.firstKey().compareTo(now) <= 0) {
            Map.Entry<Duration, Runnable> next = planned.pollFirstEntry();
            next.getValue().run();
        }
    }
}
