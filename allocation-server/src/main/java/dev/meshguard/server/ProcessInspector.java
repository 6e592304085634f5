package dev.meshguard.server;

import java.time.Instant;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Checks whether a process that reported still runs.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@FunctionalInterface
public interface ProcessInspector {

    /**
     * Returns the start time of the running process with an id, by which it differs from a later process with the same id.
     *
     * @return {@link Instant#EPOCH} if the start time is not visible; empty if there is no such process, or if it ended and its parent
     *     has not waited for it yet
     */
    Optional<Instant> inspect(long processId);

    /** Returns whether a process ended by a signal or with another status than 0; false if that is not known. */
    default boolean hasFailed(long processId) {
        return false;
    }

    /** Returns an inspector of the processes of this machine, or of the container in which this process runs. */
    static ProcessInspector ofThisMachine() {
        return new MachineProcessInspector();
    }
}
