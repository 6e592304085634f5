package dev.meshguard.server;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Reads what one program sends over its connection: {@link RecordReports} reads records, {@link LineReports} lines. Guarded by the
 * server's lock.
 */
interface ConnectionReader {

    /**
     * Records what is complete; the bytes of an incomplete report remain.
     *
     * @return why nothing more can be read from the connection, if so; a whole sentence without the full stop
     */
    Optional<String> read(ByteBuffer in);

    /** Returns the answers to what was read last; they are returned once. */
    byte[] answers();

    /** Returns whether the program reads its answers: those that its socket does not take now wait, and so do its later reports. */
    default boolean areAnswersRead() {
        return true;
    }

    /** Returns whether the program may report more. */
    boolean mayReport();

    /**
     * Records that the program ended the connection.
     *
     * @param incomplete what remained of the last report
     * @return what is wrong with that, if anything; a whole sentence without the full stop
     */
    Optional<String> disconnected(ByteBuffer incomplete);

    /** Returns why what the program sent waits, if it does; a whole sentence without the full stop. */
    default Optional<String> waiting() {
        return Optional.empty();
    }

    /** Records that the server ends the connection before the program does; returns what is wrong with what it sent, if anything. */
    default Optional<String> closed() {
        return waiting();
    }
}
