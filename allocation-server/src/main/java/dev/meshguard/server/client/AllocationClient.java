package dev.meshguard.server.client;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Quantities;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordCodec;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Reports to an allocation server as tt-metal's library does.
 *
 * <pre>{@code
 * try (AllocationClient client = AllocationClient.connect(socket, RecordSize.BYTES_112)) {
 *     client.allocated(0, BufferType.L1, 101_152, 4096);
 *     client.freed(0, 101_152);
 * }
 * }</pre>
 *
 * <p>Reports never fail and never throw. If no server answers, the client warns once, and tries again with the next
 * report. Unsent reports are counted in {@link #unsent()}, and a warning names them when a server answers again. A
 * report waits in {@code write} until the server has read those before it.
 *
 * <p>Queries wait for the answer and throw if there is none. An answer follows the recording of everything that this
 * client sent before, regardless of other clients; that makes {@link #query} a barrier.
 *
 * <p>With {@link Builder#batchesOf batches}, reports are sent together: when the batch is full, before a query, and
 * after a few milliseconds at the latest. A killed process loses its batch.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationClient implements AutoCloseable {

    /** The environment variable that names the socket for tracked programs. */
    public static final String SOCKET_VARIABLE = "MESHGUARD_SOCKET";

    private static final long NANOSECONDS = 1_000_000_000L;

    private final Path socket;
    private final RecordCodec codec;
    private final int processId;
    private final InstantSource clock;
    private final Duration timeout;
    private final Consumer<String> onWarning;
    private final ByteBuffer batch;
    private final @Nullable ScheduledThreadPoolExecutor flusher;

    private @Nullable ServerLine line;
    private long waiting;
    private boolean isClosed;
    private boolean hasWarned;
    private long unsentBefore;
    private long unsent;
    private long disconnections;
    private @Nullable String reason;

    private AllocationClient(Builder builder) {
        this.socket = builder.socket;
        this.codec = RecordCodec.of(builder.recordSize);
        this.processId = builder.processId;
        this.clock = builder.clock;
        this.timeout = builder.timeout;
        this.onWarning = builder.onWarning;
        this.batch = ByteBuffer.allocateDirect(builder.recordSize.bytes() * builder.batch);
        this.flusher = builder.batch > 1 ? flusher(builder.delay) : null;
    }

    private ScheduledThreadPoolExecutor flusher(Duration delay) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "meshguard-allocation-client");
            thread.setDaemon(true);
            return thread;
        });
        Future<?> unused =
                executor.scheduleWithFixedDelay(this::flush, delay.toNanos(), delay.toNanos(), TimeUnit.NANOSECONDS);
        return executor;
    }

    /** Returns a client of the server at a socket; each report retries a server that does not answer yet. */
    public static AllocationClient connect(Path socket, RecordSize recordSize) {
        return builder().socket(socket).recordSize(recordSize).connect();
    }

    /** Returns a builder for a client with other options. */
    public static Builder builder() {
        return new Builder();
    }

    // Reporting

    /** Reports that a buffer was allocated. */
    public void allocated(int device, BufferType type, long address, long size) {
        send(Request.allocation(processId, device, type, address, size));
    }

    /** Reports that the buffer at an address was freed. */
    public void freed(int device, long address) {
        send(Request.free(processId, device, address));
    }

    /**
     * Sends any message that needs no answer.
     *
     * <p>Messages with a time field get the current time, unless they have one.
     *
     * @throws IllegalArgumentException if the server would answer; use {@link #query} for the usage of a device
     */
    public synchronized void send(Request request) {
        if (request.type() == MessageType.QUERY || request.type() == MessageType.DEVICE_INFO_QUERY) {
            throw new IllegalArgumentException(
                    request.type() + " has an answer that no code would read: ask with query");
        }
        if (isClosed) {
            lost(1, "the client was closed");
            return;
        }
        codec.encode(takesMemory(request) && request.timestamp() == 0 ? request.at(now()) : request, batch);
        waiting++;
        if (!batch.hasRemaining()) {
            flush();
        }
    }

    private static boolean takesMemory(Request request) {
        return switch (request.type()) {
            case ALLOC, CB_ALLOC, KERNEL_LOAD -> true;
            default -> false;
        };
    }

    private long now() {
        Instant now = clock.instant();
        return now.getEpochSecond() * NANOSECONDS + now.getNano();
    }

    /** Sends the current batch. */
    public synchronized void flush() {
        if (waiting == 0) {
            return;
        }
        // An interrupt would close the connection, which is not intended.
        boolean isInterrupted = Thread.interrupted();
        batch.flip();
        try {
            line().send(batch);
        } catch (IOException e) {
            lost(waiting, disconnected(e));
        } finally {
            batch.clear();
            waiting = 0;
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // Queries

    /**
     * Returns the memory usage of a device, after all earlier reports are recorded.
     *
     * @throws IOException if there is no answer
     */
    public synchronized MemoryUsage query(int device) throws IOException {
        if (isClosed) {
            throw new IOException("The client of " + socket + " is closed");
        }
        flush();
        try {
            ServerLine open = line();
            open.send(codec.encode(Request.query(device)));
            ByteBuffer answer = ByteBuffer.allocate(codec.size().bytes());
            open.receive(answer, timeout);
            return answered(answer.flip());
        } catch (IOException e) {
            disconnected(e);
            throw new IOException("The allocation server at " + socket + " does not answer: " + e.getMessage(), e);
        }
    }

    private MemoryUsage answered(ByteBuffer record) throws IOException {
        int code = record.get(0) & 0xff;
        if (code != MessageType.RESPONSE.code()) {
            throw new IOException("its answer is message " + code + " and not " + MessageType.RESPONSE.code()
                    + "; its records may have another size than " + codec.size().bytes());
        }
        return (MemoryUsage) codec.decode(record);
    }

    // The connection

    private ServerLine line() throws IOException {
        ServerLine open = line;
        if (open != null) {
            return open;
        }
        open = ServerLine.to(socket);
        line = open;
        if (disconnections > 0 || unsent > 0) {
            onWarning.accept(String.format(
                    Locale.ROOT,
                    "[MeshGuard] Connected to the allocation server at %s again: %s not sent",
                    socket,
                    Quantities.count(unsent - unsentBefore, "report")
                            + (unsent - unsentBefore == 1 ? " was" : " were")));
            unsentBefore = unsent;
            hasWarned = false;
        }
        return open;
    }

    private String disconnected(IOException e) {
        ServerLine open = line;
        line = null;
        if (open == null) {
            warn();
            return "no allocation server answers at " + socket + ": " + e.getMessage();
        }
        disconnections++;
        try {
            open.close();
        } catch (IOException alsoFailed) {
            e.addSuppressed(alsoFailed);
        }
        return "the allocation server at " + socket + " disconnected: " + e.getMessage();
    }

    private void warn() {
        if (!hasWarned) {
            hasWarned = true;
            onWarning.accept("[MeshGuard] Warning: Allocation tracking enabled but server not available at " + socket);
        }
    }

    private void lost(long reports, String why) {
        unsent += reports;
        reason = why;
    }

    /** Returns whether a server has answered and no end of the connection was seen. */
    public synchronized boolean isConnected() {
        return line != null;
    }

    /** Returns the reports that could not be sent so far. */
    public synchronized UnsentReports unsent() {
        return new UnsentReports(unsent, disconnections, Optional.ofNullable(reason));
    }

    /** Sends the current batch, and closes the connection; for the server this only ends the reports. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        flush();
        isClosed = true;
        if (flusher != null) {
            flusher.shutdownNow();
        }
        ServerLine open = line;
        line = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                reason = "the connection could not be closed: " + e.getMessage();
            }
        }
    }

    private synchronized void connectNow() {
        try {
            line();
        } catch (IOException e) {
            reason = disconnected(e);
        }
    }

    /** Configures a client; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private static final int MAX_BATCH = 4096;

        private Path socket = defaultSocket();
        private RecordSize recordSize = RecordSize.BYTES_112;
        private int processId = (int) ProcessHandle.current().pid();
        private int batch = 1;
        private Duration delay = Duration.ofMillis(10);
        private Duration timeout = Duration.ofSeconds(5);
        private InstantSource clock = InstantSource.system();
        private Consumer<String> onWarning = System.err::println;

        private Builder() {}

        private static Path defaultSocket() {
            String named = System.getenv(SOCKET_VARIABLE);
            return named == null || named.isBlank() ? AllocationServer.DEFAULT_SOCKET : Path.of(named);
        }

        /**
         * Sets the socket. The default is that of the environment variable {@value #SOCKET_VARIABLE}, or
         * {@link AllocationServer#DEFAULT_SOCKET} if there is none.
         */
        public Builder socket(Path newSocket) {
            socket = newSocket;
            return this;
        }

        /** Sets the record size that the server reads; 112 bytes by default. */
        public Builder recordSize(RecordSize newRecordSize) {
            recordSize = newRecordSize;
            return this;
        }

        /** Sets the id of another process for the reports; if it does not exist, the server treats it as dead. */
        public Builder processId(int newProcessId) {
            processId = newProcessId;
            return this;
        }

        /**
         * Sets the number of reports sent together, 1 to 4096; 1 by default.
         *
         * @throws IllegalArgumentException if the number is less or more
         */
        public Builder batchesOf(int reports) {
            if (reports < 1 || reports > MAX_BATCH) {
                throw new IllegalArgumentException(
                        "A batch has 1 to " + MAX_BATCH + " reports: " + reports + " were asked for");
            }
            batch = reports;
            return this;
        }

        /** Sets the delay after which a partial batch is sent; 10 milliseconds by default. */
        public Builder flushEvery(Duration newDelay) {
            delay = newDelay;
            return this;
        }

        /** Sets the maximum wait for an answer; 5 seconds by default. */
        public Builder timeout(Duration newPatience) {
            timeout = newPatience;
            return this;
        }

        /** Sets the clock for the times in reports; the system's clock by default. */
        public Builder clock(InstantSource newClock) {
            clock = newClock;
            return this;
        }

        /**
         * Sets a listener for warnings that no server answers, and that one answers again; printed to standard error by
         * default.
         */
        public Builder onWarning(Consumer<String> newOnWarning) {
            onWarning = newOnWarning;
            return this;
        }

        /** Returns the client, connected if a server answers. */
        public AllocationClient connect() {
            AllocationClient client = new AllocationClient(this);
            client.connectNow();
            return client;
        }
    }
}
