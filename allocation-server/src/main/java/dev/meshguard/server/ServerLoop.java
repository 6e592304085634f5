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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
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
    private static final int MAX_PROBLEMS = 1000;

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

    /** The errors so far, as whole sentences; each is kept once. */
    private final Set<String> problems = new LinkedHashSet<>();

    /** Holds everything that programs reported, except the history. */
    ReportDispatcher dispatcher;

    /** Replaces the dispatcher when the heap is full; prepared, because nothing can be allocated then. */
    private final ReportDispatcher emptyDispatcher;

    private final Selector selector;
    private final ServerSocketChannel server;
    private final SocketFile file;
    private final SelectionKey accepting;
    private final ServerHistory history;
    private final List<ClientConnection> connections = new ArrayList<>();
    private final ByteBuffer in = ByteBuffer.allocateDirect(READ_AT_ONCE).order(ByteOrder.LITTLE_ENDIAN);

    /** What the server has opened, the latest first. */
    private final Deque<Closeable> resources = new ArrayDeque<>();

    private int accepted;

    // Guarded by the lock: requests that wait until everything sent is read.
    private long quietAsked;
    private long quietReached;

    private boolean wasSmallRead;

    /** Whether the last reports of dead processes are being read; a request for a check among them reads no others. */
    private boolean isReadingLast;

    private volatile boolean isStopping;

    /** The sentence about a full heap; prepared, because it is needed when nothing can be allocated. */
    private final String fullHeap = "the server is out of memory and ends: its heap of "
            + (Runtime.getRuntime().maxMemory() >> 20) + " MiB is full. Allow it more (-Xmx)";

    private @Nullable String failure;
    private boolean hasEnded;

    /** Listens at the socket of the options. */
    ServerLoop(AllocationServer.Builder options, AllocationTracker tracker) throws IOException {
        try {
            this.selector = opened(Selector.open());
            this.server = opened(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
            // The first close of a channel needs file descriptors itself, and later there may be none.
            SocketChannel.open(StandardProtocolFamily.UNIX).close();
            this.file = opened(SocketFile.bind(server, options.socket, SocketFile.ATTEMPTS));
            server.configureBlocking(false);
            this.accepting = server.register(selector, SelectionKey.OP_ACCEPT);
            this.history = new ServerHistory(tracker);
            this.dispatcher = newDispatcher(options);
            this.emptyDispatcher = newDispatcher(options);
            options.recordSize.ifPresent(dispatcher::recordSize);
        } catch (IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private <T extends Closeable> T opened(T resource) {
        resources.push(resource);
        return resource;
    }

    private ReportDispatcher newDispatcher(AllocationServer.Builder options) {
        return new ReportDispatcher(history, options.devices, options.probe, connections);
    }

    // The loop

    @Override
    public void run() {
        try {
            while (!isStopping) {
                turn();
            }
            close(file);
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
                hasEnded = true;
                lock.notifyAll();
                close();
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
        history.failed(failure);
        close(file);
        problem(failure);
        history.addUp();
    }

    /** Returns whether nothing more will be read, and nobody will be notified again. */
    boolean hasEnded() {
        return hasEnded;
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
        int ready = isFull ? selector.select(FULL_SLEEP_MILLIS) : isAwaited ? selector.selectNow() : selector.select();
        accepting.interestOps(SelectionKey.OP_ACCEPT);
        if (ready > 0) {
            wasSmallRead = true;
            serve();
            if (wasSmallRead) {
                LockSupport.parkNanos(COALESCE_NANOS);
            }
        }
        synchronized (lock) {
            if (ready == 0 && isAwaited) {
                quietReached = isFull ? quietReached : asked;
                lock.notifyAll();
            }
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
            problem("a connection could not be accepted: " + e.getMessage()
                    + ". Allow this process more open files (ulimit -n)");
            accepting.interestOps(0);
            return;
        }
        if (channel == null) {
            return;
        }
        // A server may run for months, and a monitor may connect each second.
        if (connections.size() >= MAX_REMEMBERED) {
            connections.removeIf(connection -> !connection.isOpen);
        }
        channel.configureBlocking(false);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        accepted++;
        ClientConnection connection = new ClientConnection(accepted, channel, key);
        key.attach(connection);
        connections.add(connection);
        lock.notifyAll();
    }

    private void serve(ClientConnection connection) {
        ByteBuffer unsent = connection.unsent;
        if (unsent == null) {
            read(connection, in);
        } else {
            connection.answer(unsent);
        }
    }

    // Dead processes

    /**
     * Records the deaths of processes, after it has read their last reports, which may free their buffers.
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
        dispatcher.recordDeaths(dead);
    }

    private void readAll(ClientConnection connection, ByteBuffer last) {
        int count = 1;
        for (int reads = 0; reads < LAST_ROUNDS && count > 0 && connection.unsent == null; reads++) {
            count = connection.isOpen ? read(connection, last) : 0;
        }
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
        if (count < 0) {
            connection.disconnected(buffer).ifPresent(this::problem);
            ended(connection);
        } else {
            received(connection, buffer);
        }
        return count;
    }

    private void received(ClientConnection connection, ByteBuffer bytes) {
        boolean isSizeUnknown = dispatcher.recordSize() == null;
        if (connection.records == 0 && !(connection.reader instanceof LineReports) && LineReports.areBegunBy(bytes)) {
            connection.reader = dispatcher.lines(connection);
        } else if (connection.reader == null) {
            connection.reader = new RecordReports(dispatcher, connection, () -> checkProcesses(connection));
        }
        Optional<String> rejection = connection.read(bytes);
        wasSmallRead &= !connection.sendAnswers();
        rejection.ifPresent(why -> {
            problem(why);
            ended(connection);
        });
        if (isSizeUnknown && dispatcher.recordSize() != null) {
            // No event would wake data that other programs sent before the record size was known.
            connections.stream()
                    .filter(waiting -> waiting.isOpen && waiting.rest.length > 0)
                    .forEach(waiting ->
                            received(waiting, ByteBuffer.wrap(waiting.rest).order(ByteOrder.LITTLE_ENDIAN)));
        }
        lock.notifyAll();
    }

    private void problem(String sentence) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(sentence);
        }
    }

    private void ended(ClientConnection connection) {
        connection.release();
        close(connection.channel);
        dispatcher.ended(connection);
        lock.notifyAll();
    }

    // The end

    private void stopped() {
        List<ClientConnection> open =
                connections.stream().filter(connection -> connection.isOpen).toList();
        dispatcher.closedWhileConnected(
                open.stream().filter(ClientConnection::mayReport).toList());
        open.forEach(connection -> connection.closed().ifPresent(this::problem));
        history.addUp();
    }

    void close() {
        for (ClientConnection connection : connections) {
            connection.release();
            close(connection.channel);
        }
        while (!resources.isEmpty()) {
            close(resources.pop());
        }
    }

    private void close(Closeable resource) {
        try {
            resource.close();
        } catch (IOException e) {
            synchronized (lock) {
                problem("the server could not be closed completely: " + e.getMessage());
            }
        }
    }

    // For other threads, under the lock

    /** Returns the errors so far, and those of the connections that wait. */
    List<String> problems() {
        return Stream.concat(
                        problems.stream(), connections.stream().flatMap(connection -> connection.waiting().stream()))
                .distinct()
                .toList();
    }

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
