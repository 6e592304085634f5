package dev.meshguard.server;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Receives allocation reports of real processes, and passes them to an {@link AllocationTracker}, so that they are judged like
 * allocations of a test.
 *
 * <p>Programs that report to tt-metal's allocation server work unchanged: socket, records and counting rules are the same, and
 * queries are answered. A log and statistics are only that server's.
 *
 * <pre>{@code
 * try (AllocationServer server = AllocationServer.builder()
 *         .socket(folder.resolve("server.sock"))
 *         .recordSize(RecordSize.BYTES_112)
 *         .start()) {
 *     runProgram();
 *     server.awaitQuiet(Duration.ofSeconds(10));
 *     server.checkProcesses();
 *     LeakVerdict verdict = LeakCheck.create().examine(server.tracker().history());
 * }
 * }</pre>
 *
 * <h2>Differences to the old server</h2>
 *
 * <p>This server reassembles records that arrive in parts and splits records that arrive together. It detects records
 * of another size and never misreads them. It rejects reports of devices that it does not have. What a dead process did not free
 * stays in the history and in the answers, which are the live memory of the tracker.
 *
 * <h2>Guarantees</h2>
 *
 * <p>Nothing that a program sent is dropped silently: a program that is faster than the server waits in its own write.
 * A program that sends invalid records, half a record, or nothing harms only itself. The server never replaces the
 * socket of another running server.
 *
 * <h2>Limits</h2>
 *
 * <p>The history grows with every report. If the heap is full, the server
 * ends: it closes all connections, and {@link #failure()} says which heap it had.
 *
 * <p>All programs of one server use one record size. A process that is not visible on this machine, for example of
 * another container, counts as dead in {@link #checkProcesses}. Records have no origin, so no line of code is known.
 *
 * <h2>MeshGuard's clients</h2>
 *
 * <p>Programs that report with MeshGuard's client for C or Python also name owners, labels, requests, phases, lines and
 * the allocator's own count ({@code docs/protocol.md}). They share the socket. Their processes
 * are not checked: the end of the last connection shows how a process ended.
 *
 * <p>Safe for use by several threads. One daemon thread does the work.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationServer implements AutoCloseable {

    /** The socket that tt-metal's programs connect to; the path is fixed in their code. */
    public static final Path DEFAULT_SOCKET = Path.of("/tmp/tt_allocation_server.sock");

    private final Path socket;
    private final AllocationTracker tracker;
    private final ServerLoop loop;
    private final Object lock;
    private final Thread thread;

    private AllocationServer(Builder options) throws IOException {
        this.socket = options.socket;
        this.tracker = options.tracker == null ? newTracker() : options.tracker;
        this.loop = new ServerLoop(options, tracker);
        this.lock = loop.lock;
        this.thread = new Thread(loop, "meshguard-allocation-server " + socket);
        thread.setDaemon(true);
    }

    /** The stacks of the server's thread are useless, and a report does not contain the number of banks of a buffer. */
    private static AllocationTracker newTracker() {
        return AllocationTracker.builder()
                .originCapture(OriginCapture.NONE)
                .bankedAddresses()
                .build();
    }

    /** Returns a builder for a server with other options. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the socket that programs connect to. */
    public Path socketPath() {
        return socket;
    }

    /** Returns the tracker that records all reports. */
    public AllocationTracker tracker() {
        synchronized (lock) {
            loop.dispatcher.history.addUp();
        }
        return tracker;
    }

    /** Returns the connections in order of arrival; the closed ones among them are forgotten when there are 10,000. */
    public List<ConnectionSnapshot> connections() {
        return read(() -> loop.views());
    }

    /**
     * Returns the errors so far, as sentences without their full stops: rejected connections, truncated records, and records that wait
     * now because their size is not known.
     */
    public List<String> problems() {
        return read(() -> loop.problems());
    }

    private <T> T read(Supplier<T> state) {
        synchronized (lock) {
            return state.get();
        }
    }

    /**
     * Checks for dead processes now: reads what they had sent, and records their deaths.
     */
    public void checkProcesses() {
        synchronized (lock) {
            loop.checkProcesses(null);
            loop.askForQuiet();
        }
    }

    /**
     * Waits until everything is read and recorded that programs had sent when this method was called.
     *
     * <p>The history then contains all reports of processes that have ended and of writes that have returned.
     *
     * @return whether that happened within the time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean awaitQuiet(Duration limit) throws InterruptedException {
        synchronized (lock) {
            long asked = loop.askForQuiet();
            return await(() -> loop.isQuiet(asked), limit);
        }
    }

    /**
     * Waits until the connections satisfy a condition.
     *
     * <pre>{@code
     * server.await(all -> all.stream().anyMatch(one -> !one.processes().isEmpty()), Duration.ofSeconds(10));
     * }</pre>
     *
     * @return whether they satisfied it within the time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean await(Predicate<List<ConnectionSnapshot>> condition, Duration limit) throws InterruptedException {
        synchronized (lock) {
            return await(() -> condition.test(loop.views()), limit);
        }
    }

    private boolean await(BooleanSupplier condition, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(limit);
        while (!condition.getAsBoolean()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0 || loop.hasEnded()) {
                return condition.getAsBoolean();
            }
            lock.wait(left);
        }
        return true;
    }

    /**
     * Returns why the server ended by itself, as a sentence without its full stop; empty if it runs or was closed.
     *
     * <p>A server without free memory or with an unusable socket closes all connections. Its history then records that
     * reports are missing.
     */
    public Optional<String> failure() {
        return read(() -> loop.failure());
    }

    /**
     * Reads the data already sent, removes the socket if it is still this server's, and closes all connections.
     *
     * <p>Programs that are still connected may allocate later, and none of their later reports is read. The tracker
     * therefore counts lost reports and names the processes. {@code LeakCheck} then finds the history inconclusive,
     * even if every buffer was freed. End the programs first. A connection with queries only, such as a monitor's, does
     * not count.
     */
    @Override
    public void close() {
        loop.stop();
        boolean wasInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                // An interrupt does not prevent reading the last records; it is restored afterwards.
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Configures a server; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private static final int MAX_DEVICES = HistoryEvent.MAX_DEVICE + 1;

        Path socket = DEFAULT_SOCKET;
        Optional<RecordSize> recordSize = Optional.empty();
        private @Nullable AllocationTracker tracker;

        int devices = 8;
        ProcessInspector probe = ProcessInspector.ofThisMachine();

        private Builder() {}

        /** Sets the socket; {@link #DEFAULT_SOCKET} by default, a path of at most 107 bytes. */
        public Builder socket(Path newSocket) {
            socket = newSocket;
            return this;
        }

        /**
         * Sets the size of the records that programs send.
         *
         * <p>By default the first program decides, as soon as its bytes prove the size: from the second record on. A
         * program that starts with a query and waits for the answer proves nothing, and waits.
         */
        public Builder recordSize(RecordSize size) {
            recordSize = Optional.of(size);
            return this;
        }

        /** Sets an existing tracker; by default the server creates one that keeps all events. */
        public Builder tracker(AllocationTracker newTracker) {
            tracker = newTracker;
            return this;
        }

        /**
         * Sets the number of devices, 8 by default; a record about another device is rejected.
         *
         * @throws IllegalArgumentException if it is less than 1, or more than a history can distinguish
         */
        public Builder devices(int number) {
            if (number < 1 || number > MAX_DEVICES) {
                throw new IllegalArgumentException(
                        "A server has 1 to " + MAX_DEVICES + " devices: " + number + " was given");
            }
            devices = number;
            return this;
        }

        /** Sets the process inspector; the processes of this machine by default. */
        public Builder processInspector(ProcessInspector newProbe) {
            probe = newProbe;
            return this;
        }

        /**
         * Starts the server; when this returns, programs can connect.
         *
         * @throws IOException if another server listens at the socket, or if the socket cannot be created; the message names the
         *     way out
         */
        public AllocationServer start() throws IOException {
            AllocationServer server = new AllocationServer(this);
            try {
                server.thread.start();
            } catch (RuntimeException | Error notStarted) {
                server.loop.close();
                throw notStarted;
            }
            return server;
        }
    }
}
