package dev.meshguard.server;

import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A snapshot of one connection of a program.
 *
 * @param number its number at this server, from 1
 * @param processes the process ids under which it reported, the first 1,000; empty if it only sent queries
 * @param records the number of complete records that it sent
 * @param reports the number of them that report memory
 * @param isOpen whether it may send more
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record ConnectionSnapshot(int number, Set<Long> processes, long records, long reports, boolean isOpen) {

    /** Creates a snapshot with its own copy of the processes. */
    public ConnectionSnapshot {
        processes = Set.copyOf(processes);
    }
}
