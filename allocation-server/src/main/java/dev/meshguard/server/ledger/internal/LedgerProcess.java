package dev.meshguard.server.ledger.internal;

/** The buffers of one process, linked, so that cleaning up after it visits no buffer of another process. */
final class LedgerProcess {

    final long pid;

    /** The records that it owns and to which no other process refers. */
    final Node soleRecords = new Node();

    /** The records that it owns and to which other processes refer too. */
    final Node sharedRecords = new Node();

    /** Its {@link Share}s in the records of others. */
    final Node shares = new Node();

    LedgerProcess(long pid) {
        this.pid = pid;
    }

    boolean hasNothing() {
        return soleRecords.isEmpty() && sharedRecords.isEmpty() && shares.isEmpty();
    }
}
