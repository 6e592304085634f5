package dev.meshguard.mesh.internal.dispatch;

import dev.meshguard.event.Owner;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.mesh.buffer.SubDeviceId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Records which command queue and which replays of traces use a sub-device; another queue waits before it enqueues programs there.
 *
 * <p>Guarded by the lock of the mesh. Source: {@code CQOwnerState} in {@code tt_metal/impl/dispatch/cq_shared_state.cpp}.
 */
public final class SubDeviceUse {

    private OptionalInt queue = OptionalInt.empty();
    /** The first event after the last program. A queue that waits for it or a later one has waited for the program. */
    private OptionalInt handedOverBy = OptionalInt.empty();
    /** The replays that no queue has waited for, with the first event after each, or 0. */
    private final Map<Owner, Integer> replays = new LinkedHashMap<>();

    /**
     * Gives the sub-device to a queue that enqueues a program.
     *
     * @throws MeshRuntimeException if another queue has it
     */
    void take(SubDeviceId subDevice, int newQueue) {
        if (queue.isPresent() && queue.getAsInt() != newQueue) {
            throw new MeshRuntimeException(
                    "Sub device id %d currently in use by cq %d. Can't enqueue program from cq %d. Finish or wait"
                            + " for an event to transfer ownership.",
                    subDevice.value(), queue.getAsInt(), newQueue);
        }
        queue = OptionalInt.of(newQueue);
        handedOverBy = OptionalInt.empty();
    }

    /** Records the replay of a trace by the queue that has the sub-device. */
    void replayed(Owner trace) {
        replays.put(trace, 0);
    }

    /** Returns the traces whose replays may not be complete when a queue runs what it enqueues next. */
    Stream<Owner> replaysInFlight(int asking) {
        return replays.entrySet().stream()
                .filter(replay -> !isUsedBy(asking) || replay.getValue() == 0)
                .map(Map.Entry::getKey);
    }

    /** Records that a queue has finished all its work. */
    void finished(int finishedQueue) {
        if (isUsedBy(finishedQueue)) {
            free();
        }
    }

    /** Records an event of a queue. */
    void recorded(QueueEvent event) {
        if (isUsedBy(event.queue())) {
            handedOverBy = handedOverBy.isEmpty() ? OptionalInt.of(event.id()) : handedOverBy;
            replays.replaceAll((trace, first) -> first == 0 ? event.id() : first);
        }
    }

    /** Records that a queue waits for an event. */
    void waited(QueueEvent event, int waitingQueue) {
        if (isUsedBy(event.queue()) && waitingQueue != event.queue()) {
            replays.values().removeIf(first -> first > 0 && first <= event.id());
            if (handedOverBy.isPresent() && handedOverBy.getAsInt() <= event.id()) {
                free();
            }
        }
    }

    private boolean isUsedBy(int other) {
        return queue.isPresent() && queue.getAsInt() == other;
    }

    private void free() {
        queue = OptionalInt.empty();
        handedOverBy = OptionalInt.empty();
        replays.clear();
    }
}
