package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a program to the server: the bytes that arrived, and what the program has reported about itself; guarded by the
 * server's lock.
 */
final class ClientConnection {

    private static final int MAX_PROCESSES = 1000;
    static final byte[] NOTHING = {};

    final int number;
    final SocketChannel channel;
    final SelectionKey key;

    /** The incomplete record at the end of what was read. */
    byte[] rest = NOTHING;

    /** Answers that the program has not read yet; the server reads nothing more until it does. */
    @Nullable
    ByteBuffer unsent;

    long records;
    long reports;

    boolean isOpen = true;

    /** Null until something arrives. */
    @Nullable
    ConnectionReader reader;

    /** The ids of the first processes that reported over it, ascending. */
    private final Set<Long> processes = new TreeSet<>();

    /** The process of the last report: most connections have one process. */
    private @Nullable ClientProcess process;

    ClientConnection(int number, SocketChannel channel, SelectionKey key) {
        this.number = number;
        this.channel = channel;
        this.key = key;
    }

    /** Returns whether a process sent the last report, and has not ended since. */
    boolean isLatest(long pid) {
        return process != null && process.id == pid && !process.hasEnded;
    }

    void reportedBy(ClientProcess reporting) {
        process = reporting;
        if (processes.size() < MAX_PROCESSES) {
            processes.add(reporting.id);
        }
    }

    /** Returns the process of the last report. */
    ClientProcess process() {
        return Objects.requireNonNull(process);
    }

    Stream<Long> processes() {
        return processes.stream();
    }

    /** Returns whether a process reported over it, among the first ones. */
    boolean isOf(long pid) {
        return processes.contains(pid);
    }

    boolean hasReports() {
        return !processes.isEmpty();
    }

    /** Returns whether a program may report over it: it has reported, or sent a part of a record, or nothing yet. */
    boolean mayReport() {
        return reader == null || reader.mayReport();
    }

    // What was read

    /**
     * Records what a program sent; an incomplete record remains.
     *
     * @return why nothing more can be read, if so; a whole sentence without the full stop
     */
    Optional<String> read(ByteBuffer bytes) {
        Optional<String> rejection = Objects.requireNonNull(reader).read(bytes);
        rest = bytes.hasRemaining() ? new byte[bytes.remaining()] : NOTHING;
        bytes.get(rest);
        return rejection;
    }

    /** Returns why what the program sent waits, if it does. */
    Optional<String> waiting() {
        return reader == null ? Optional.empty() : reader.waiting();
    }

    /** Sends the answers to what was read; returns whether there are any. */
    boolean sendAnswers() {
        ConnectionReader from = reader;
        byte[] answers = from == null ? NOTHING : from.answers();
        if (from == null || answers.length == 0) {
            return false;
        }
        if (from.areAnswersRead()) {
            answer(ByteBuffer.wrap(answers));
        } else {
            write(ByteBuffer.wrap(answers));
        }
        return true;
    }

    /** Sends answers; if the program does not read them now, they wait, and so do its later reports. */
    void answer(ByteBuffer answers) {
        boolean isGone = !write(answers);
        unsent = isGone || !answers.hasRemaining() ? null : answers;
        key.interestOps(unsent == null ? SelectionKey.OP_READ : SelectionKey.OP_WRITE);
    }

    /** A program that has ended reads no answer. What it sent before is still to be read, up to its end. */
    private boolean write(ByteBuffer answers) {
        try {
            channel.write(answers);
            return true;
        } catch (IOException isGone) {
            return false;
        }
    }

    /** Records that the program ended the connection; returns the problem with that, if there is one. */
    Optional<String> disconnected(ByteBuffer incomplete) {
        return reader == null ? Optional.empty() : reader.disconnected(incomplete);
    }

    /** Records that the server ends the connection before the program does; returns the problem with what it sent, if there is one. */
    Optional<String> closed() {
        return reader == null ? Optional.empty() : reader.closed();
    }

    /** Forgets what is not recorded; allocates nothing. */
    void release() {
        isOpen = false;
        reader = null;
        unsent = null;
        rest = NOTHING;
    }

    /** Returns the names of the programs that report over it; until the first report only the connection is known. */
    Stream<String> programs() {
        return hasReports() ? processes.stream().map(process -> "process " + process) : Stream.of(description());
    }

    AllocationDetails details() {
        return process().buffer;
    }

    /** Returns its name in a sentence. */
    String description() {
        return processes.size() == 1
                ? "connection " + number + " (process " + processes.iterator().next() + ")"
                : "connection " + number;
    }

    ConnectionSnapshot view() {
        return new ConnectionSnapshot(number, processes, records, reports, isOpen);
    }
}
