package dev.meshguard.server;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * An error of the field's server that this one does not have; each constant restores the old behaviour.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Compatibility {
    /**
     * The result of one read is taken for a record, complete or not.
     *
     * <p>Without it the server reassembles a record that arrives in parts.
     */
    PARTIAL_RECORDS("what one read returns is a record, whole or not"),
    /**
     * If no record begins at a byte, the byte is dropped; after ten such bytes the connection is closed.
     *
     * <p>Without it records keep their positions, so that no record is read from the middle of another.
     */
    RESYNC_BY_BYTES("where no record begins, one byte is dropped"),
    /**
     * The size of a program's records is not checked.
     *
     * <p>Without it the server detects another size by the distance of the repeated record shape, and closes the
     * connection before it misreads a record.
     */
    UNCHECKED_RECORD_SIZE("records of another size are misread"),
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
    FORGETS_THE_DEAD("the buffers of a dead process count as freed"),
    /**
     * A process id in use counts as the process that reported, regardless of its start time.
     *
     * <p>Without it a process that started later is another one.
     */
    REUSED_PROCESS_IDS("a later process of the same id counts as the one that reported"),
    /**
     * A process that ended but whose parent did not wait for it counts as alive.
     *
     * <p>Without it such a process is dead.
     */
    ZOMBIES_LIVE("processes that ended and were not waited for count as alive"),
    /**
     * A process of another user counts as dead, because this user must not signal it.
     *
     * <p>Without it the process counts as alive until it ends.
     */
    OTHER_USERS_ARE_DEAD("processes of other users count as dead"),
    /**
     * Sums of circular buffers include every reported size, also in frees of unknown buffers, and may fall below zero.
     *
     * <p>Without it a sum contains the reported buffers that are not yet freed.
     */
    WRAPPING_SUMS("sums of circular buffers and kernels may fall below zero"),
    /**
     * The log says that dead processes are searched every 10 seconds, regardless of the interval.
     *
     * <p>Without it the log contains the interval.
     */
    BANNER_OF_TEN_SECONDS("the log says that dead processes are looked for every 10 seconds");

    private final String description;

    Compatibility(String words) {
        this.description = words;
    }

    /** Returns a description of the old behaviour. */
    public String description() {
        return description;
    }
}
