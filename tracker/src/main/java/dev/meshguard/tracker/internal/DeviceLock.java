package dev.meshguard.tracker.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The lock of one device's books, held for a few nanoseconds.
 *
 * <p>Not the language's, which sits in the header of an object, where it shares a cache line with whatever the
 * collector puts before it, and not {@link java.util.concurrent.locks.ReentrantLock}, which costs more than what it
 * would guard here. Whoever finds it taken tries again, then lets others run, then sleeps: a thread may be stopped while
 * it holds the lock, and reading the entries of a large ledger takes milliseconds. Neither reentrant nor fair.
 */
abstract class DeviceLock extends CacheLinePadded {

    private static final int SPINS = 32;
    private static final int YIELDS = 64;
    private static final long PARK_NANOS = 20_000;

    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(DeviceLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException missing) {
            throw new ExceptionInInitializerError(missing);
        }
    }

    @SuppressWarnings("UnusedVariable") // Used through HELD.
    private boolean held;

    /** Takes the lock; call {@link #unlock} in a finally block. */
    final void lock() {
        if (!HELD.compareAndSet(this, false, true)) {
            await();
        }
    }

    /** Gives the lock back. */
    final void unlock() {
        HELD.setRelease(this, false);
    }

    @SuppressWarnings("ThreadPriorityCheck") // To let others run is a courtesy here, nothing rests on it.
    private void await() {
        int tries = 0;
        do {
            tries++;
            if (tries <= SPINS) {
                Thread.onSpinWait();
            } else if (tries <= SPINS + YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, PARK_NANOS);
            }
        } while ((boolean) HELD.getOpaque(this) || !HELD.compareAndSet(this, false, true));
    }
}
