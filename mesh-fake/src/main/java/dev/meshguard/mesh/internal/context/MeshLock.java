package dev.meshguard.mesh.internal.context;

import dev.meshguard.tracker.internal.StackReserve;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of a mesh and its submeshes: they share devices, and so the state that it guards.
 *
 * <p><b>Who holds it.</b> A method that the code under test calls acquires it, at the head of a block:
 *
 * <pre>{@code
 * try (MeshLock held = lock.acquire()) {
 *     ...
 * }
 * }</pre>
 *
 * <p>Or it lets {@link MeshContext#whileOpen} acquire it. Everything below is called with the lock held and does not acquire it. Two
 * exceptions end what several meshes or none of the code under test may hold:
 * {@link dev.meshguard.mesh.internal.program.OwnedResources} and {@link MeshContext#freedWith}. {@link MeshContext} checks the rule
 * where it hands out the state that the lock guards.
 *
 * <p>A thread may acquire it again while it holds it. If {@linkplain WatchedHandles handles are watched}, its first
 * acquisition runs the destructors of collected ones, so memory is freed between two calls of the code under test and never
 * during one. An acquisition creates no object.
 *
 * <p>A call of the code under test for which the stack is too short fails at its first acquisition, and changes nothing.
 */
public final class MeshLock implements AutoCloseable {

    private final ReentrantLock lock = new ReentrantLock();
    private final WatchedHandles collected;

    MeshLock(WatchedHandles collected) {
        this.collected = collected;
    }

    /** Waits for the lock and returns it, for a try-with-resources statement. */
    public MeshLock acquire() {
        if (!lock.isHeldByCurrentThread()) {
            StackReserve.forOperation();
        }
        lock.lock();
        boolean acquired = false;
        try {
            if (collected.isWatching() && lock.getHoldCount() == 1) {
                collected.freeCollected();
            }
            acquired = true;
            return this;
        } finally {
            if (!acquired) {
                lock.unlock();
            }
        }
    }

    /** Checks that the caller holds the lock. */
    void requireHeld() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "The state of a mesh was used without its lock. This is a defect of MeshGuard.");
        }
    }

    /** Registers the action to run after a handle was collected; see {@link WatchedHandles#watch}. */
    public void watch(Object handle, Runnable destructor) {
        if (collected.isWatching()) {
            try (MeshLock held = acquire()) {
                collected.watch(handle, destructor);
            }
        }
    }

    /** Releases the lock once. */
    @Override
    public void close() {
        lock.unlock();
    }
}
