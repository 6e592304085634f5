package dev.meshguard.history.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The lock of one device's ledger, held for a few nanoseconds.
 *
 * <p>An intrinsic lock is in the object header, where it shares a cache line with the object before it. A
 * {@link java.util.concurrent.locks.ReentrantLock} costs more than the work that it would guard here. A thread that
 * finds the lock held tries again, then yields, then sleeps. A thread may be stopped while it holds the lock, and
 * reading the entries of a large ledger takes milliseconds. Neither reentrant nor fair.
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

    /** Acquires the lock; call {@link #unlock} in a finally block. */
    final void lock() {
        if (!HELD.compareAndSet(this, false, true)) {
            await();
        }
    }

    /** Releases the lock. */
    final void unlock() {
        HELD.setRelease(this, false);
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yielding is only a courtesy here; nothing depends on it.
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
