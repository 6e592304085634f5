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

    /** The moment of its death's announcement, by the ledger's count of deaths and new open periods. */
    int diedAt;

    // The entries removed with it since its death.
    long removedBuffers;
    long removedBytes;

    LedgerProcess(long pid) {
        this.pid = pid;
    }

    boolean hasNothing() {
        return soleRecords.isEmpty() && sharedRecords.isEmpty() && shares.isEmpty();
    }
}
