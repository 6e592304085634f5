package dev.meshguard.server;

import java.time.Instant;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Finds out whether a process that reported is still there.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@FunctionalInterface
public interface ProcessInspector {

    /**
     * What was seen of a process.
     *
     * @param started when it was started, if that can be seen
     * @param hasEnded whether it ended, and only its parent did not take notice yet
     * @param isOfAnotherUser whether it belongs to somebody else
     */
    record Sighting(Optional<Instant> started, boolean hasEnded, boolean isOfAnotherUser) {

        /** Returns the sighting of a process of this user that was started at the given time and runs. */
        public static Sighting running(Instant started) {
            return new Sighting(Optional.of(started), false, false);
        }
    }

    /** Returns what there is under a process id; empty if nothing is. */
    Optional<Sighting> look(long processId);

    /** Returns a probe of the processes of this machine, or of the container that this process runs in. */
    static ProcessInspector ofThisMachine() {
        return new MachineProcesses();
    }
}
