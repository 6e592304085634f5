package dev.meshguard.server;

import dev.meshguard.tracker.AllocationTracker;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The only thread of a server: accepts connections, reads reports, answers queries, and checks for dead processes.
 *
 * <p>One thread is enough, because a record costs it less than the sending program, and it keeps the reports of all
 * programs in one order. It reads only as fast as it records reports. A program that is too fast therefore waits in its
 * own write, and nothing is dropped. It does not read from a program that does not read its answers.
 */
final class ServerLoop implements Runnable {

    private static final int READ_AT_ONCE = 1 << 18;
    private static final int MAX_REMEMBERED = 10_000;
    private static final Duration STATISTICS_INTERVAL = Duration.ofSeconds(10);
    private static final Duration UNDECIDED_TIMEOUT = Duration.ofSeconds(2);
    private static final long MAX_SLEEP_MILLIS = 1000;

    /** The wait for a file descriptor, while a program waits that cannot be accepted without one. */
    private static final long FULL_SLEEP_MILLIS = 50;

    /**
     * A program that reports records one by one would wake this thread for each, and pay for that in its own write.
     * After a small read without a query, the thread therefore waits for more.
     */
    private static final long COALESCE_NANOS = 50_000;

    private static final int SMALL_READ_BYTES = 1 << 13;

    /** More rounds than the data in a socket's buffers needs. */
    private static final int LAST_ROUNDS = 64;

    /** Guards everything that other threads may ask for. */
    final Object lock = new Object();

    final ServerErrors problems;
    final ServerLog log;

    /** Holds everything that programs reported, except the history. */
    ReportDispatcher dispatcher;

    /** Replaces the dispatcher when the heap is full; prepared, because nothing can be allocated then. */
    private final ReportDispatcher emptyDispatcher;

    private final Selector selector;
    private final ServerSocketChannel server;
    private final SocketFile file;
    private final SelectionKey accepting;
    private final ServerLogFormatter lines;
    private final HistoryReporter reporter;
    private final List<ClientConnection> connections = new ArrayList<>();
    private final InstantSource clock;
    private final Duration processCheck;
    private final ByteBuffer in;

    private int accepted;
    private Instant nextCheck;
    private Instant nextStatistics;

    // Guarded by the lock: requests that wait until everything sent is read, and lines that wait to be flushed then.
    private long quietAsked = 1;
    private long quietReached;

    private boolean wasSmallRead;

    /** Whether the last reports of dead processes are being read; a dump among them reads no others. */
    private boolean isReadingLast;

    private volatile boolean isStopping;

    /** The sentence about a full heap; prepared, because it is needed when nothing can be allocated. */
    private final String fullHeap = "the server is out of memory and ends: its heap of "
            + (Runtime.getRuntime().maxMemory() >> 20) + " MiB is full. Allow it more (-Xmx)";

    private @Nullable String failure;

    /** Listens at the socket of the options, and opens the log. */
    ServerLoop(AllocationServer.Builder options, AllocationTracker tracker) throws IOException {
        this.problems = new ServerErrors(options.onProblem);
        this.clock = options.clock;
        this.processCheck = options.processCheck;
        this.nextCheck = clock.instant().plus(processCheck);
        this.nextStatistics = clock.instant().plus(STATISTICS_INTERVAL);
        List<Closeable> opened = new ArrayList<>();
        try {
            this.selector = Selector.open();
            opened.add(selector);
            this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            opened.add(0, server);
            // The first close of a channel needs file descriptors itself, and later there may be none.
            SocketChannel.open(StandardProtocolFamily.UNIX).close();
            this.file = SocketFile.bind(server, options.socket);
            opened.add(0, file);
            this.in = ByteBuffer.allocateDirect(READ_AT_ONCE).order(ByteOrder.LITTLE_ENDIAN);
            this.log = openLog(options, problems);
            opened.add(0, log::close);
            server.configureBlocking(false);
            this.accepting = server.register(selector, SelectionKey.OP_ACCEPT);
            this.lines = new ServerLogFormatter(log);
            this.reporter = new HistoryReporter(tracker, options.hasHistory);
            this.dispatcher = newDispatcher(options);
            this.emptyDispatcher = newDispatcher(options);
            options.recordSize.ifPresent(dispatcher::recordSize);
            lines.started(options.socket.toString());
        } catch (IOException | RuntimeException | Error e) {
            for (Closeable one : opened) {
                one.close();
            }
            throw e;
        }
    }

    private ReportDispatcher newDispatcher(AllocationServer.Builder options) {
        return new ReportDispatcher(reporter, lines, options.devices, options.probe, connections);
    }

    private static ServerLog openLog(AllocationServer.Builder options, ServerErrors problems) throws IOException {
        Path logFile = options.logFile;
        if (logFile == null) {
            return new ServerLog(options.logText, "the log", problems);
        }
        try {
            return new ServerLog(
                    Files.newOutputStream(logFile, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                    "the log " + logFile,
                    problems);
        } catch (IOException e) {
            throw new IOException("The log cannot be written: " + e + ". Choose another file.", e);
        }
    }

    // The loop

    @Override
    public void run() {
        try {
            while (!isStopping) {
                turn();
            }
            close(file, "the file of the socket");
            accepting.interestOps(SelectionKey.OP_ACCEPT);
            // Data sent before the end is still read; a program that continues to send is not waited for.
            for (int rounds = 0; rounds < LAST_ROUNDS && selector.selectNow() > 0; rounds++) {
                serve();
            }
            synchronized (lock) {
                stopped();
            }
        } catch (IOException | RuntimeException | Error e) {
            synchronized (lock) {
                failed(e);
            }
        } finally {
            synchronized (lock) {
                close();
                lock.notifyAll();
            }
        }
    }

    /**
     * Records that the server can accept nothing more.
     *
     * <p>The heap may be full. Until what programs reported is released, nothing is allocated here.
     */
    private void failed(Throwable cause) {
        failure = fullHeap;
        for (int i = 0; i < connections.size(); i++) {
            connections.get(i).release();
        }
        dispatcher = emptyDispatcher;
        if (!(cause instanceof OutOfMemoryError)) {
            failure = "the server stopped: " + cause;
        }
        reporter.failed(failure);
        log.cut();
        lines.omitted();
        log.flush();
        close(file, "the file of the socket");
        problems.add(failure);
        reporter.addUp();
    }

    /** Returns why the server ended, unless it was closed. */
    Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    private void turn() throws IOException {
        long asked;
        boolean isAwaited;
        synchronized (lock) {
            asked = quietAsked;
            isAwaited = quietReached < asked;
        }
        boolean isFull = accepting.interestOps() == 0;
        int ready = isFull
                ? selector.select(FULL_SLEEP_MILLIS)
                : isAwaited ? selector.selectNow() : selector.select(MAX_SLEEP_MILLIS);
        accepting.interestOps(SelectionKey.OP_ACCEPT);
        if (ready == 0 && isAwaited) {
            synchronized (lock) {
                log.flush();
                quietReached = isFull ? quietReached : asked;
                lock.notifyAll();
            }
        }
        if (ready > 0) {
            wasSmallRead = true;
            serve();
            if (wasSmallRead) {
                LockSupport.parkNanos(COALESCE_NANOS);
            }
        }
        synchronized (lock) {
            onTime();
        }
    }

    private void serve() throws IOException {
        Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
        while (ready.hasNext()) {
            SelectionKey key = ready.next();
            ready.remove();
            synchronized (lock) {
                if (key.isValid() && key.attachment() instanceof ClientConnection connection) {
                    serve(connection);
                } else if (key.isValid()) {
                    accept();
                }
            }
        }
    }

    private void accept() throws IOException {
        wasSmallRead = false;
        SocketChannel channel;
        try {
            channel = server.accept();
        } catch (IOException e) {
            problems.add("a connection could not be accepted: " + e.getMessage()
                    + ". Allow this process more open files (ulimit -n)");
            accepting.interestOps(0);
            return;
        }
        if (channel == null) {
            return;
        }
        channel.configureBlocking(false);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        accepted++;
        ClientConnection connection = new ClientConnection(accepted, channel, key);
        forgetOldest();
        connections.add(connection);
        key.attach(connection);
        lock.notifyAll();
    }

    /** A server may run for months, and a monitor may connect each second. */
    private void forgetOldest() {
        if (connections.size() >= MAX_REMEMBERED) {
            connections.stream()
                    .filter(connection -> !connection.isOpen)
                    .findFirst()
                    .ifPresent(connections::remove);
        }
    }

    private void serve(ClientConnection connection) {
        ByteBuffer unsent = connection.unsent;
        if (unsent == null) {
            read(connection, in);
        } else {
            connection.answer(unsent);
        }
    }

    private void onTime() {
        Instant now = clock.instant();
        if (!processCheck.isZero() && !now.isBefore(nextCheck)) {
            nextCheck = now.plus(processCheck);
            checkProcesses(null);
        }
        if (log.isOn() && !now.isBefore(nextStatistics)) {
            nextStatistics = now.plus(STATISTICS_INTERVAL);
            lines.statistics(dispatcher.buffers);
            quietAsked++;
        }
        if (dispatcher.recordSize() == null) {
            connections.forEach(connection -> askForSize(connection, now));
        }
    }

    private void askForSize(ClientConnection connection, Instant now) {
        RecordReports records = connection.ofRecords;
        if (records == null || connection.rest.length == 0 || connection.hasProblem()) {
            return;
        }
        Instant since = connection.undecidedSince;
        if (since == null) {
            connection.undecidedSince = now;
        } else if (!now.isBefore(since.plus(UNDECIDED_TIMEOUT))) {
            problem(connection, records.undecided(connection.rest.length, "waits"));
        }
    }

    // Dead processes

    /**
     * Removes the buffers of dead processes, after it has read their last reports, which may free them.
     *
     * @param asking the connection that asks for it in what is being read; its processes may have sent more, so they do not count as dead
     *     yet. Null if there is none
     */
    void checkProcesses(@Nullable ClientConnection asking) {
        if (isReadingLast) {
            return;
        }
        Set<Long> dead = dispatcher.dead();
        dead.removeIf(process -> asking != null && asking.isOf(process));
        List<ClientConnection> ofDead = connections.stream()
                .filter(connection -> connection.isOpen && dead.stream().anyMatch(connection::isOf))
                .toList();
        if (!ofDead.isEmpty()) {
            isReadingLast = true;
            ByteBuffer last = ByteBuffer.allocate(READ_AT_ONCE).order(ByteOrder.LITTLE_ENDIAN);
            try {
                ofDead.forEach(connection -> readAll(connection, last));
            } finally {
                isReadingLast = false;
            }
        }
        dispatcher.removeDead(dead);
        quietAsked++;
    }

    private void readAll(ClientConnection connection, ByteBuffer last) {
        for (int reads = 0; reads < LAST_ROUNDS && connection.isOpen && connection.unsent == null; reads++) {
            if (read(connection, last) == 0) {
                return;
            }
        }
    }

    /** Checks for dead processes and logs the remaining buffers. */
    void dump(@Nullable ClientConnection asking) {
        lines.dumpAskedFor();
        checkProcesses(asking);
        lines.dump(dispatcher.buffers);
    }

    // Connections

    /** Returns the number of bytes; -1 at the end. */
    private int read(ClientConnection connection, ByteBuffer buffer) {
        buffer.clear().put(connection.rest);
        int count;
        try {
            count = connection.channel.read(buffer);
        } catch (IOException e) {
            // The program ended without reading its answers, and all that it had sent was read.
            count = -1;
        }
        buffer.flip();
        wasSmallRead &= count < SMALL_READ_BYTES;
        quietAsked += log.isOn() ? 1 : 0;
        if (count < 0) {
            disconnected(connection, buffer);
        } else {
            received(connection, buffer);
        }
        return count;
    }

    private void received(ClientConnection connection, ByteBuffer bytes) {
        boolean isSizeUnknown = dispatcher.recordSize() == null;
        if (connection.records == 0 && connection.lines == null && LineReports.areBegunBy(bytes)) {
            connection.lines = dispatcher.lines(connection);
        } else if (connection.lines == null && connection.ofRecords == null) {
            connection.ofRecords = new RecordReports(dispatcher, lines, connection, () -> dump(connection));
        }
        Optional<String> rejection = connection.read(bytes);
        wasSmallRead &= !connection.sendAnswers();
        rejection.ifPresent(why -> {
            problem(connection, why);
            if (connection.isOfReports()) {
                reporter.lost(-1, why);
            }
            ended(connection);
        });
        if (isSizeUnknown && dispatcher.recordSize() != null) {
            connections.forEach(this::reread);
        }
        lock.notifyAll();
    }

    /** No event would wake data that other programs sent before the record size was known. */
    private void reread(ClientConnection waiting) {
        if (waiting.isOpen && waiting.rest.length > 0) {
            received(waiting, ByteBuffer.wrap(waiting.rest).order(ByteOrder.LITTLE_ENDIAN));
        }
    }

    private void disconnected(ClientConnection connection, ByteBuffer rest) {
        connection.disconnected(rest).ifPresent(why -> problem(connection, why));
        ended(connection);
    }

    private void problem(ClientConnection connection, String why) {
        connection.problem(why);
        problems.add(why);
    }

    private void ended(ClientConnection connection) {
        connection.release();
        connection.key.cancel();
        close(connection.channel, connection.description());
        dispatcher.ended(connection);
        lock.notifyAll();
    }

    // The end

    private void stopped() {
        List<ClientConnection> open =
                connections.stream().filter(connection -> connection.isOpen).toList();
        dispatcher.closedWhileConnected(
                open.stream().filter(ClientConnection::mayReport).toList());
        lines.statistics(dispatcher.buffers);
        lines.stopped();
        open.forEach(connection -> connection.closed().ifPresent(why -> problem(connection, why)));
    }

    void close() {
        for (ClientConnection connection : connections) {
            if (connection.key.isValid()) {
                connection.release();
                connection.key.cancel();
                close(connection.channel, connection.description());
            }
        }
        close(file, "the file of the socket");
        close(server, "the socket");
        close(selector, "the selector");
        log.close();
    }

    private void close(Closeable resource, String name) {
        try {
            resource.close();
        } catch (IOException e) {
            synchronized (lock) {
                problems.add(name + " could not be closed: " + e.getMessage());
            }
        }
    }

    // For other threads, under the lock

    List<ConnectionSnapshot> views() {
        return connections.stream().map(ClientConnection::view).toList();
    }

    /** Requests a notification when nothing remains to be read; returns the argument for {@link #isQuiet}. */
    long askForQuiet() {
        quietAsked++;
        selector.wakeup();
        return quietAsked;
    }

    boolean isQuiet(long asked) {
        return quietReached >= asked;
    }

    /** Must be called without the lock. */
    void stop() {
        isStopping = true;
        selector.wakeup();
    }
}
