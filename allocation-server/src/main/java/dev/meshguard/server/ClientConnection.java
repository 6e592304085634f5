package dev.meshguard.server;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the server knows of one connection; guarded by the server's lock. */
final class ClientConnection {

    /** What has come of a record, or of two as long as it is not sure that they have the right size. */
    private static final int MAX_CARRIED = 512;

    private static final int MAX_PROCESSES = 1000;

    final int number;
    final SocketChannel channel;
    final SelectionKey key;

    final byte[] carry = new byte[MAX_CARRIED];
    int carried;

    /** Answers that the program did not take yet; nothing more is read until it does. */
    @Nullable
    ByteBuffer unsent;

    /** Bytes received after a query that is not answered yet; the server reads on when it has answered. */
    @Nullable
    ByteBuffer waiting;

    /** The argument for {@link ReportDispatcher#isChecked} while a dump waits; 0 if no dump waits. */
    long dumpAfter;

    long records;
    long reports;

    /** How many records in a row were none. */
    int errors;

    /** Whether the record before was one, so that what follows is where a record ends. */
    boolean followsRecord;

    /** Since when it has kept the server waiting for the rest of a first record, by the server's clock; 0 if it does not. */
    long undecidedSince;

    boolean isOpen = true;

    /** What the history is given with a report of a process. It keeps that for each buffer, so all of a process share one object. */
    private record Reporter(AllocationDetails buffer, AllocationDetails circularBuffer) {}

    private final Map<Long, Reporter> processes = new TreeMap<>();
    private @Nullable String problem;

    // Of the process that reported last: most connections have one.
    private long process = Long.MIN_VALUE;
    private long knownAt = -1;
    private Reporter reporter = new Reporter(AllocationDetails.user(), AllocationDetails.user());

    ClientConnection(int number, SocketChannel channel, SelectionKey key) {
        this.number = number;
        this.channel = channel;
        this.key = key;
    }

    /** Returns whether a process is the one that reported last, and none was found dead since. */
    boolean isLatest(long pid, long deaths) {
        return pid == process && deaths == knownAt;
    }

    void reportedBy(long pid, long deaths) {
        process = pid;
        knownAt = deaths;
        Reporter known = processes.get(pid);
        reporter = known == null ? reporter(pid) : known;
        if (known == null && processes.size() < MAX_PROCESSES) {
            processes.put(pid, reporter);
        }
    }

    private Reporter reporter(long pid) {
        AllocationDetails buffer = AllocationDetails.user().reportedBy(pid).overConnection(number);
        return new Reporter(buffer, buffer.ofKind(BufferKind.CIRCULAR_BUFFER));
    }

    boolean hasReports() {
        return !processes.isEmpty();
    }

    /** Returns whether a program may report over it: it has reported, or sent a part of a record, or nothing yet. */
    boolean mayReport() {
        return hasReports() || carried > 0 || records == 0;
    }

    /** Returns the names of the programs that report over it; until the first report only the connection is known. */
    Stream<String> programs() {
        return hasReports()
                ? processes.keySet().stream().map(process -> "process " + process)
                : Stream.of(description());
    }

    AllocationDetails details() {
        return reporter.buffer;
    }

    AllocationDetails circularBuffer() {
        return reporter.circularBuffer;
    }

    void problem(String sentence) {
        problem = sentence;
    }

    /** Returns what it is called in a sentence. */
    String description() {
        return processes.size() == 1
                ? "connection " + number + " (process "
                        + processes.keySet().iterator().next() + ")"
                : "connection " + number;
    }

    ConnectionSnapshot view() {
        return new ConnectionSnapshot(
                number, processes.keySet(), records, reports, isOpen, Optional.ofNullable(problem));
    }
}
