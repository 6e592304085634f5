package dev.meshguard.server;

import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One connection of a program, as it was at one moment.
 *
 * @param number its number at this server, from 1; buffers carry it as {@code AllocationDetails.connection()}
 * @param processes the process ids under which it reported, the first 1,000; empty if it only asked
 * @param records how many whole records it sent
 * @param reports how many of them told of memory
 * @param isOpen whether it may send more
 * @param problem what was wrong with it, as a whole sentence without the full stop
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ConnectionSnapshot(
        int number, Set<Long> processes, long records, long reports, boolean isOpen, Optional<String> problem) {

    /** Creates it with its own copy of the processes. */
    public ConnectionSnapshot {
        processes = Set.copyOf(processes);
    }
}
