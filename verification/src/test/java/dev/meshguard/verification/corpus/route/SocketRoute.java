package dev.meshguard.verification.corpus.route;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.ProcessInspector;
import dev.meshguard.server.protocol.RecordSize;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Sends the events of a history to an allocation server, over a connection for each process that reported them.
 *
 * <p>The server is checked, and processes die, where the history says so. Not safe for use by several threads.
 */
public abstract class SocketRoute {

    /** The process of events that name none. */
    public static final long ONLY_PROCESS = 108_740;

    private static final Duration LONG = Duration.ofSeconds(30);

    private final Map<Long, SocketChannel> channels = new LinkedHashMap<>();
    private final Set<Long> dead = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Long> processesOfMeshes = new HashMap<>();
    private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();

    private long process = ONLY_PROCESS;

    /** Sends an event of the current process, if the route can carry it. */
    abstract void send(HistoryEvent event);

    /**
     * Sends that the current process reports no more.
     *
     * @param isInOrder whether it ends, and is not killed
     */
    abstract void end(boolean isInOrder);

    /** Returns the process that sends. */
    final long process() {
        return process;
    }

    final void write(byte[] bytes) {
        unsent.writeBytes(bytes);
    }

    /** Sends a history, and returns what the tracker of the server has of it. */
    public final AllocationHistory carry(AllocationHistory history, Path folder)
            throws IOException, InterruptedException {
        try (AllocationServer server = AllocationServer.builder()
                .socket(folder.resolve("s"))
                .recordSize(RecordSize.BYTES_112)
                .processInspector(new Processes())
                .start()) {
            for (HistoryEvent event : history.events()) {
                if (event instanceof HistoryEvent.ProcessDied died) {
                    die(died.processId(), server);
                } else if (event instanceof HistoryEvent.Checked checked) {
                    flush(server);
                    server.awaitQuiet(LONG);
                    server.checkProcesses();
                    server.tracker().checked(checked.today());
                } else {
                    become(processOf(event, history), server);
                    send(event);
                }
            }
            flush(server);
            for (long open : List.copyOf(channels.keySet())) {
                become(open, server);
                end(true);
                close(server);
            }
            server.awaitQuiet(LONG);
            return server.tracker().history();
        }
    }

    /** Returns the process of an event: a mesh is that of the next request on it, and what names neither is not in question. */
    private long processOf(HistoryEvent event, AllocationHistory history) {
        if (event instanceof HistoryEvent.OfRequest one) {
            return processOf(one);
        } else if (event instanceof HistoryEvent.MeshOpened one) {
            int mesh = one.mesh().id();
            history.events().stream()
                    .filter(later -> later.number() > one.number())
                    .flatMap(later -> later instanceof HistoryEvent.OfRequest report ? Stream.of(report) : Stream.of())
                    .filter(later -> later.request().details().mesh().equals(OptionalInt.of(mesh)))
                    .findFirst()
                    .ifPresent(first -> processesOfMeshes.put(mesh, processOf(first)));
            return processesOfMeshes.getOrDefault(mesh, process);
        } else if (event instanceof HistoryEvent.MeshClosing one) {
            return processesOfMeshes.getOrDefault(one.mesh(), process);
        } else if (event instanceof HistoryEvent.MeshClosed one) {
            return processesOfMeshes.getOrDefault(one.mesh(), process);
        } else if (event instanceof HistoryEvent.Witnessed one) {
            return processesOfMeshes.getOrDefault(one.snapshot().mesh(), process);
        }
        return process;
    }

    private static long processOf(HistoryEvent.OfRequest event) {
        return event.request().details().processId().orElse(ONLY_PROCESS);
    }

    /** Continues as another process, once the server has what the one before sent. */
    private void become(long next, AllocationServer server) throws IOException, InterruptedException {
        if (next != process) {
            flush(server);
            server.awaitQuiet(LONG);
            process = next;
        }
    }

    private void die(long killed, AllocationServer server) throws IOException, InterruptedException {
        become(killed, server);
        end(false);
        close(server);
        server.awaitQuiet(LONG);
        dead.add(killed);
        server.checkProcesses();
        process = channels.keySet().stream().findFirst().orElse(ONLY_PROCESS);
    }

    private void flush(AllocationServer server) throws IOException {
        if (unsent.size() > 0) {
            SocketChannel channel = channels.get(process);
            if (channel == null) {
                channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                channel.connect(UnixDomainSocketAddress.of(server.socketPath()));
                channels.put(process, channel);
            }
            ByteBuffer bytes = ByteBuffer.wrap(unsent.toByteArray());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            unsent.reset();
        }
    }

    private void close(AllocationServer server) throws IOException {
        flush(server);
        SocketChannel channel = channels.remove(process);
        if (channel != null) {
            channel.close();
        }
    }

    /** The processes as the history knows them. */
    private final class Processes implements ProcessInspector {

        @Override
        public Optional<Instant> inspect(long processId) {
            return dead.contains(processId) ? Optional.empty() : Optional.of(Instant.EPOCH);
        }

        @Override
        public boolean hasFailed(long processId) {
            return dead.contains(processId);
        }
    }
}
