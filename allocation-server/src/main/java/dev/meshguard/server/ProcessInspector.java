package dev.meshguard.server;

import java.time.Instant;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Checks whether a process that reported still exists.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@FunctionalInterface
public interface ProcessInspector {

    /**
     * The observed state of a process.
     *
     * @param started its start time, if visible
     * @param hasEnded whether it ended but its parent has not waited for it yet
     */
    record ProcessState(Optional<Instant> started, boolean hasEnded) {

        /** Returns the state of a running process with the given start time. */
        public static ProcessState running(Instant started) {
            return new ProcessState(Optional.of(started), false);
        }
    }

    /** Returns the state of the process with an id; empty if there is none. */
    Optional<ProcessState> inspect(long processId);

    /** Returns whether a process ended by a signal or with another status than 0; false if that is not known. */
    default boolean hasFailed(long processId) {
        return false;
    }

    /** Returns an inspector of the processes of this machine, or of the container in which this process runs. */
    static ProcessInspector ofThisMachine() {
        return new MachineProcesses();
    }
}
