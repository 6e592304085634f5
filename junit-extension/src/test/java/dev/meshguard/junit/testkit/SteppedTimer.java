package dev.meshguard.junit.testkit;

import dev.meshguard.junit.internal.GraceTimer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** A time that passes only while somebody sleeps, with things that happen then. */
public final class SteppedTimer implements GraceTimer {

    private final TreeMap<Duration, Runnable> planned = new TreeMap<>();
    private Duration now = Duration.ZERO;
    private boolean interrupts;

    /** Lets something happen at a moment, on the thread that sleeps. */
    public void at(Duration moment, Runnable happening) {
        planned.put(moment, happening);
    }

    /** Interrupts who sleeps next. */
    public void interruptSleep() {
        interrupts = true;
    }

    /** Returns how much time has passed. */
    public Duration now() {
        return now;
    }

    @Override
    public long nanoTime() {
        return now.toNanos();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (interrupts) {
            throw new InterruptedException();
        }
        now = now.plus(duration);
        while (!planned.isEmpty() && planned.firstKey().compareTo(now) <= 0) {
            Map.Entry<Duration, Runnable> next = planned.pollFirstEntry();
            next.getValue().run();
        }
    }
}
