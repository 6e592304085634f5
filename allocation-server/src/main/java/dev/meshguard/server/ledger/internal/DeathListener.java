package dev.meshguard.server.ledger.internal;

/**
 * Receives the effects of the death of processes on a {@link ServerLedger}, while {@link ServerLedger#clean} or a
 * look-up carries them out.
 */
public interface DeathListener {

    /** Called before the references of a dead process to an entry that others share are removed. */
    default void sharedEntry(BufferRecord record, long process) {}

    /**
     * Called after the last entry of a dead process; calls about another process follow it.
     *
     * @param buffers the number of entries that were removed with the process
     * @param bytes their bytes
     */
    default void finished(long process, long buffers, long bytes) {}
}
