package dev.meshguard.mesh.internal.dispatch;

import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.SubDeviceId;
import java.util.OptionalInt;

/**
 * Records which command queue has work on a sub-device, so that no other queue enqueues programs there without waiting for it.
 *
 * <p>Guarded by the lock of the mesh. Source: {@code CQOwnerState} in {@code tt_metal/impl/dispatch/cq_shared_state.cpp}.
 */
public final class SubDeviceUse {

    private OptionalInt queue = OptionalInt.empty();
    /** The first event after the last program. A queue that waits for it or a later one has waited for the program. */
    private OptionalInt handedOverBy = OptionalInt.empty();

    /**
     * Gives the sub-device to a queue that enqueues a program.
     *
     * @throws MeshRuntimeException if another queue has it
     */
    void take(SubDeviceId subDevice, int newQueue) {
        if (queue.isPresent() && queue.getAsInt() != newQueue) {
            throw new MeshRuntimeException(DispatchMessages.subDeviceInUse(subDevice, queue.getAsInt(), newQueue));
        }
        queue = OptionalInt.of(newQueue);
        handedOverBy = OptionalInt.empty();
    }

    /** Records that a queue has finished all its work. */
    void finished(int finishedQueue) {
        if (isUsedBy(finishedQueue)) {
            free();
        }
    }

    /** Records an event of a queue. */
    void recorded(QueueEvent event) {
        if (isUsedBy(event.queue()) && handedOverBy.isEmpty()) {
            handedOverBy = OptionalInt.of(event.id());
        }
    }

    /** Records that a queue waits for an event. */
    void waited(QueueEvent event, int waitingQueue) {
        if (isUsedBy(event.queue())
                && waitingQueue != event.queue()
                && handedOverBy.isPresent()
                && handedOverBy.getAsInt() <= event.id()) {
            free();
        }
    }

    private boolean isUsedBy(int other) {
        return queue.isPresent() && queue.getAsInt() == other;
    }

    private void free() {
        queue = OptionalInt.empty();
        handedOverBy = OptionalInt.empty();
    }
}
