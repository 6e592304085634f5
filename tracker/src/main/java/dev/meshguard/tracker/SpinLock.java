package dev.meshguard.tracker;

import dev.meshguard.tracker.internal.StackReserve;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock that is held for some nanoseconds.
 *
 * <pre>{@code
 * try (SpinLock held = lock.acquire()) {
 *     ...
 * }
 * }</pre>
 *
 * <p>An intrinsic lock makes a pair of reports a sixth slower ({@code PairBenchmark}). A thread that finds the lock held yields,
 * then sleeps, because a thread may be stopped while it holds the lock. Neither reentrant nor fair. No thread gets it whose stack would
 * end before it releases the lock.
 */
final class SpinLock implements AutoCloseable {

    private static final int YIELDS = 64;
    private static final long PARK_NANOS = 20_000;

    private final AtomicBoolean isHeld = new AtomicBoolean();

    /** Waits for the lock and returns it. */
    SpinLock acquire() {
        StackReserve.forLock();
        if (!isHeld.compareAndSet(false, true)) {
            await();
        }
        return this;
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yielding is only a courtesy here; nothing depends on it.
    private void await() {
        int tries = 0;
        do {
            if (tries++ < YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, PARK_NANOS);
            }
        } while (isHeld.get() || !isHeld.compareAndSet(false, true));
    }

    /** Releases the lock. */
    @Override
    public void close() {
        isHeld.setRelease(false);
    }
}
