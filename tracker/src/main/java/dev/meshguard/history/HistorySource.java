package dev.meshguard.history;

import dev.meshguard.event.shortage.FreeSpace;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * An object that provides a history, for example a mesh or the log of a server; usable wherever a history is.
 *
 * @since 0.1
 */
@FunctionalInterface
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface HistorySource {

    /**
     * Returns the history so far.
     *
     * @throws IllegalStateException if nothing was recorded; the message says what to do
     */
    AllocationHistory history();

    /** Returns the free space of the allocators at this moment; empty if it is unknown. */
    default List<FreeSpace> freeSpace() {
        return List.of();
    }
}
