package dev.meshguard.server.client;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationListener;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Connects to an allocation server and reports allocations and frees in the binary records of tt-metal's library, as
 * that library does.
 *
 * <pre>{@code
 * try (AllocationClient client = AllocationClient.connect(socket, RecordSize.BYTES_112)) {
 *     client.allocated(0, BufferType.L1, 101_152, 4096);
 *     client.freed(0, 101_152);
 * }
 * }</pre>
 *
 * <p>It also forwards the reports of a mesh without hardware, or of any other source, as the real runtime does: one program's test can
 * then track another program's mesh, {@code Ttnn.create(client)}. The records contain neither owners, lifetimes, labels, phases, meshes
 * nor witness snapshots. Circular buffers are reported as L1 buffers, as tt-metal's own client does. Memory that belongs to no device is
 * not sent; each record has a device.
 *
 * <p>Reports never fail and never throw. If no server answers, the client warns once, and tries again with the next
 * report. Unsent reports are counted in {@link #unsent()}, and a warning tells how many when a server answers again. A
 * report waits in {@code write} until the server has read those before it.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class AllocationClient implements AllocationListener, AutoCloseable {

    /** The environment variable that names the socket for tracked programs. */
    public static final String SOCKET_VARIABLE = "MESHGUARD_SOCKET";

    /** The size that tt-metal's client requests; further data waits in the program's own write. */
    private static final int SEND_BUFFER = 1 << 20;

    private final Path socket;
    private final RecordSize recordSize;
    private final int processId;
    private final Consumer<String> onWarning;

    private @Nullable SocketChannel channel;
    private boolean isClosed;
    private boolean hasWarned;
    private long unsent;
    private long unsentBefore;

    private AllocationClient(Builder builder) {
        this.socket = builder.socket;
        this.recordSize = builder.recordSize;
        this.processId = builder.processId;
        this.onWarning = builder.onWarning;
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

    @Override
    public void allocated(
            MemoryRequest request, int device, BufferType type, long address, long size, Ownership ownership) {
        if (device != HistoryEvent.NO_DEVICE) {
            allocated(device, type, address, size);
        }
    }

    @Override
    public void freed(MemoryRequest release, int device, BufferType type, long address, Ownership ownership) {
        if (device != HistoryEvent.NO_DEVICE) {
            freed(device, address);
        }
    }

    /**
     * Sends any message that has no answer.
     *
     * @throws IllegalArgumentException if the server would answer: the client reads nothing
     */
    public synchronized void send(Request request) {
        if (request.type() == MessageType.QUERY || request.type() == MessageType.DEVICE_INFO_QUERY) {
            throw new IllegalArgumentException(request.type() + " has an answer, and a client that reports reads none");
        }
        if (isClosed) {
            unsent++;
            return;
        }
        // An interrupt would close the connection, which is not intended.
        boolean isInterrupted = Thread.interrupted();
        try {
            write(request);
        } catch (IOException e) {
            unsent++;
            disconnected();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sends a record, and waits as long as the server needs to read those before it. */
    private void write(Request request) throws IOException {
        SocketChannel open = connected();
        ByteBuffer record = request.toRecord(recordSize);
        while (record.hasRemaining()) {
            open.write(record);
        }
    }

    // The connection

    private SocketChannel connected() throws IOException {
        SocketChannel open = channel;
        if (open != null) {
            return open;
        }
        open = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            open.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER);
            open.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            open.close();
            throw e;
        }
        channel = open;
        long missing = unsent - unsentBefore;
        if (missing > 0) {
            onWarning.accept("[MeshGuard] Connected to the allocation server at " + socket + " again: "
                    + Quantities.count(missing, "report") + (missing == 1 ? " was" : " were") + " not sent");
            unsentBefore = unsent;
            hasWarned = false;
        }
        return open;
    }

    private void disconnected() {
        if (channel == null && !hasWarned) {
            hasWarned = true;
            onWarning.accept("[MeshGuard] Warning: Allocation tracking enabled but server not available at " + socket);
        }
        disconnect();
    }

    private void disconnect() {
        SocketChannel open = channel;
        channel = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            // No byte waits in a channel, so nothing is lost with it.
        }
    }

    /** Returns whether a server has answered and no end of the connection was seen. */
    public synchronized boolean isConnected() {
        return channel != null;
    }

    /** Returns the number of messages that could not be sent so far. What a server did not read before it ended is not known. */
    public synchronized long unsent() {
        return unsent;
    }

    /** Closes the connection; for the server this only ends the reports. */
    @Override
    public synchronized void close() {
        isClosed = true;
        disconnect();
    }

    private synchronized void connectNow() {
        try {
            connected();
        } catch (IOException e) {
            disconnected();
        }
    }

    /** Configures a client; not safe for use by several threads. */
    @API(status = Status.EXPERIMENTAL, since = "0.1")
    public static final class Builder {

        private Path socket = defaultSocket();
        private RecordSize recordSize = RecordSize.BYTES_112;
        private int processId = (int) ProcessHandle.current().pid();
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
