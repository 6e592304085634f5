package dev.meshguard.tracker.history;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * An object that provides a history, for example the log of a server; usable wherever a history is.
 *
 * @since 0.1
 */
@FunctionalInterface
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface HistorySource {

    /** Returns the history. */
    AllocationHistory history();
}
