package dev.meshguard.server;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What the field's server gets wrong and this one does right; each of them brings the old behaviour back.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Compatibility {
    /**
     * What one read returns is taken for a record, whole or not.
     *
     * <p>Without it a record that arrives in parts is put together first.
     */
    PARTIAL_RECORDS("what one read returns is a record, whole or not"),
    /**
     * Where no record begins, one byte is dropped, and after ten such bytes the connection is closed.
     *
     * <p>Without it records keep their places, so that no record is read from the middle of another.
     */
    RESYNC_BY_BYTES("where no record begins, one byte is dropped"),
    /**
     * Nobody looks whether a program's records have another size.
     *
     * <p>Without it another size is told by where the records repeat their shape, and the connection is closed before a record is
     * misread.
     */
    UNCHECKED_RECORD_SIZE("records of another size are misread"),
    /**
     * A buffer may be on a device that the server does not have; no sums are kept of it that a query would answer.
     *
     * <p>Without it such a report is refused with a warning, as by the last of the old servers, and counts as lost.
     */
    ANY_DEVICE("reports of devices that the server does not have are entered"),
    /**
     * When the first of several processes dies that reported one address, what the others reported goes too.
     *
     * <p>Without it each process takes its own references with it.
     */
    SHARED_WITH_THE_DEAD("a dead process takes the references of others with it"),
    /**
     * What a dead process had counts as freed in the history.
     *
     * <p>Without it the sums of the server fall as well, but the history holds the buffers as what a dead process left.
     */
    FORGETS_THE_DEAD("the buffers of a dead process count as freed"),
    /**
     * A process id that is in use counts as the process that reported, whenever it was started.
     *
     * <p>Without it a process that started later is another one.
     */
    REUSED_PROCESS_IDS("a later process of the same id counts as the one that reported"),
    /**
     * A process that ended and was not waited for by its parent counts as alive.
     *
     * <p>Without it such a process is dead.
     */
    ZOMBIES_LIVE("processes that ended and were not waited for count as alive"),
    /**
     * A process of another user counts as dead, because it must not be signalled.
     *
     * <p>Without it it lives as long as it does.
     */
    OTHER_USERS_ARE_DEAD("processes of other users count as dead"),
    /**
     * Sums of circular buffers take every size as it is said, also of what is not known, and may fall below zero.
     *
     * <p>Without it a sum is that of what was reported and not yet freed.
     */
    WRAPPING_SUMS("sums of circular buffers and kernels may fall below zero"),
    /**
     * The log says that dead processes are looked for every 10 seconds, whatever is true.
     *
     * <p>Without it the log says how often.
     */
    BANNER_OF_TEN_SECONDS("the log says that dead processes are looked for every 10 seconds");

    private final String description;

    Compatibility(String words) {
        this.description = words;
    }

    /** Returns what the server then does. */
    public String description() {
        return description;
    }
}
