package dev.meshguard.server.ledger.internal;

/**
 * The entries that were removed with a dead process.
 *
 * @param count their number
 * @param bytes the sum of their sizes
 */
public record RemovedEntries(long count, long bytes) {

    static final RemovedEntries NONE = new RemovedEntries(0, 0);
}
