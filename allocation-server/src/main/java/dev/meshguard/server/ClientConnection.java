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

/** The state of one connection; guarded by the server's lock. */
final class ClientConnection {

    /** The incomplete part of a record, or of two until their size is certain. */
    private static final int MAX_CARRIED = 512;

    private static final int MAX_PROCESSES = 1000;

    final int number;
    final SocketChannel channel;
    final SelectionKey key;

    final byte[] carry = new byte[MAX_CARRIED];
    int carried;

    /** Answers that the program has not read yet; the server reads nothing more until it does. */
    @Nullable
    ByteBuffer unsent;

    long records;
    long reports;

    /** The number of consecutive invalid records. */
    int errors;

    /** Whether the previous record was valid, so that the next bytes begin at a record boundary. */
    boolean followsRecord;

    /**
     * The time since which the server waits for the rest of a first record, by the server's clock; 0 if it does not
     * wait.
     */
    long undecidedSince;

    boolean isOpen = true;

    /** The reader of lines, if the first byte was that of an object. */
    @Nullable
    LineReports lines;

    /**
     * The details that the history records with a report of a process. The history keeps them for each buffer, so all
     * reports of a process share one object.
     */
    private record Reporter(AllocationDetails buffer, AllocationDetails circularBuffer) {}

    private final Map<Long, Reporter> processes = new TreeMap<>();
    private @Nullable String problem;

    // The process of the last report: most connections have one process.
    private long process = Long.MIN_VALUE;
    private long knownAt = -1;
    private Reporter reporter = new Reporter(AllocationDetails.user(), AllocationDetails.user());

    ClientConnection(int number, SocketChannel channel, SelectionKey key) {
        this.number = number;
        this.channel = channel;
        this.key = key;
    }

    /** Returns whether a process sent the last report, and no process was found dead since. */
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

    Stream<Long> processes() {
        return processes.keySet().stream();
    }

    /** Returns whether a process reported over it, among the first ones. */
    boolean isOf(long pid) {
        return processes.containsKey(pid);
    }

    boolean hasReports() {
        return !processes.isEmpty();
    }

    /** Returns whether a program may report over it: it has reported, or sent a part of a record, or nothing yet. */
    boolean mayReport() {
        return lines == null ? hasReports() || carried > 0 || records == 0 : lines.mayReport();
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

    /** Returns its name in a sentence. */
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
