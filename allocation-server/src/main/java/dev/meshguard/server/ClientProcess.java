package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import java.time.Instant;
import java.util.Optional;

/**
 * A process that reports; a later process with its id is another object. Guarded by the server's lock.
 *
 * <p>The history keeps the details of each buffer, so all reports of a process share them.
 */
final class ClientProcess {

    /** Its process id; one below 1 belongs to no process that could be checked. */
    final long id;

    final AllocationDetails buffer;
    final AllocationDetails circularBuffer;

    /** Whether it was found dead, or ended its last connection. */
    boolean hasEnded;

    private boolean isChecked;
    private Optional<Instant> started = Optional.empty();

    ClientProcess(long id) {
        this.id = id;
        this.buffer = AllocationDetails.user().reportedBy(id);
        this.circularBuffer = buffer.ofKind(BufferKind.CIRCULAR_BUFFER);
    }

    /** Checks from now on whether it is dead; it is if it does not run any more when this is called. */
    void check(ProcessInspector inspector) {
        if (!isChecked && id > 0) {
            isChecked = true;
            started = inspector.inspect(id);
        }
    }

    /** Returns whether its id now belongs to another process. */
    boolean isReplaced(ProcessInspector inspector) {
        return started.isPresent()
                && inspector
                        .inspect(id)
                        .filter(now -> !now.equals(started.get()))
                        .isPresent();
    }

    boolean isDead(ProcessInspector inspector) {
        return isChecked
                && inspector
                        .inspect(id)
                        .filter(now -> now.equals(started.orElse(null)))
                        .isEmpty();
    }
}
