package dev.meshguard.server.books.internal;

/** The buffers of one process, linked, so that cleaning up after it visits no buffer of another process. */
final class BookedProcess {

    final long pid;

    /** The records of which it is the owner and to which nobody else refers. */
    final Node soleRecords = new Node();

    /** The records of which it is the owner and to which others refer too. */
    final Node sharedRecords = new Node();

    /** Its {@link Share}s in the records of others. */
    final Node shares = new Node();

    /** Of all records of which it is the owner. */
    long records;

    long bytes;

    /** When its death was announced, by the books' count of deaths and new lives. */
    int diedAt;

    /** To records, its own and those of others. */
    long references;

    BookedProcess(long pid) {
        this.pid = pid;
    }

    boolean hasNothing() {
        return soleRecords.isEmpty() && sharedRecords.isEmpty() && shares.isEmpty();
    }
}
