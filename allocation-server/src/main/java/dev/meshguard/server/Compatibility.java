package dev.meshguard.server;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A behaviour of tt-metal's server that this one does not have; each constant restores it.
 *
 * <p>They exist for users who compare the dumps and logs of both servers while they move from one to the other.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Compatibility {
    /**
     * A buffer may be on a device that the server does not have; no sums for queries are kept of it.
     *
     * <p>Without it such a report is rejected with a warning, as by the last of the old servers, and counts as lost.
     */
    ANY_DEVICE("reports of devices that the server does not have are entered"),
    /**
     * If several processes reported one address and the first of them dies, the reports of the others are removed too.
     *
     * <p>Without it only the references of the dead process are removed.
     */
    SHARED_WITH_THE_DEAD("a dead process takes the references of others with it"),
    /**
     * Buffers of a dead process count as freed in the history.
     *
     * <p>Without it the sums of the server fall as well, but the history keeps the buffers as those of a dead process.
     */
    FORGETS_THE_DEAD("the buffers of a dead process count as freed");

    private final String description;

    Compatibility(String words) {
        this.description = words;
    }

    /** Returns a description of the old behaviour. */
    public String description() {
        return description;
    }
}
