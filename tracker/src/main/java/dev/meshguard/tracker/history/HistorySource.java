package dev.meshguard.tracker.history;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Something that was read or recorded and that tells a history, like the log of a server; goes where a history goes.
 *
 * @since 0.1
 */
@FunctionalInterface
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface HistorySource {

    /** Returns what it tells. */
    AllocationHistory history();
}
