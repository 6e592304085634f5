package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The server cleans up after dead processes between the reports of others. */
class ReportDispatcherTests {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final long SEED = Long.getLong("meshguard.seed", 20_261_124);
    private static final int PROGRAMS = Integer.getInteger("meshguard.programs", 600);
    private static final int STEPS = 120;
    private static final int PROCESSES = 4;
    private static final int DEVICES = 2;
    private static final int ADDRESSES = 4;

    /** Process ids are used again, also before a check has found the earlier process dead. */
    @Test
    void theLogAgreesWithTheTrackerAfterRandomReportsAndDeaths() throws IOException {
        for (int program = 0; program < PROGRAMS; program++) {
            long seed = SEED + program;
            try (Dispatch dispatch = new Dispatch()) {
                dispatch.run(new Random(seed));

                String log = dispatch.log();
                AllocationHistory read = WithServer.readLog(log).history();
                assertThat(read.lostReports()).as("seed %d%n%s", seed, log).isEmpty();
                assertThat(WithServer.openReports(read))
                        .as("seed %d%n%s", seed, log)
                        .isEqualTo(WithServer.openReports(dispatch.tracker.history()));
            }
        }
    }

    /** A dispatcher without a socket, and simulated processes with a connection each. */
    private static final class Dispatch implements AutoCloseable {
        private final ByteArrayOutputStream text = new ByteArrayOutputStream();
        private final ServerLog lines =
                new ServerLog(text::writeBytes, () -> {}, "the log", new ServerErrors(sentence -> {}));
        private final ServerLogFormatter formatter = new ServerLogFormatter(lines);
        private final Map<Long, Instant> processes = new HashMap<>();
        private final AllocationTracker tracker = AllocationTracker.create();
        private final ReportDispatcher dispatcher;
        private final Selector selector = Selector.open();
        private final SocketChannel channel = SocketChannel.open();
        private final SelectionKey key;
        private final Map<Long, ClientConnection> connections = new HashMap<>();

        private Dispatch() throws IOException {
            dispatcher = new ReportDispatcher(
                    new HistoryReporter(tracker, true),
                    formatter,
                    List.of(),
                    process -> Optional.ofNullable(processes.get(process)),
                    List.of());
            dispatcher.recordSize(RecordSize.BYTES_112);
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_CONNECT);
        }

        private void runs(long process, Instant since) {
            processes.put(process, since);
            connections.put(process, new ClientConnection(connections.size() + 1, channel, key));
        }

        private void allocate(int process, int device, long id) {
            dispatcher.allocated(BufferType.L1.code(), device, id, 64, reporting(process));
        }

        private void free(int process, int device, long id) {
            dispatcher.freed(device, id, reporting(process));
        }

        private ClientConnection reporting(int process) {
            ClientConnection connection = Objects.requireNonNull(connections.get((long) process));
            dispatcher.reportedBy(process, connection);
            return connection;
        }

        private void run(Random random) {
            int[][] references = new int[PROCESSES + 1][DEVICES * ADDRESSES];
            for (int step = 0; step < STEPS; step++) {
                int process = 1 + random.nextInt(PROCESSES);
                int buffer = random.nextInt(DEVICES * ADDRESSES);
                int choice = random.nextInt(12);
                if (choice == 0) {
                    Arrays.fill(references[process], 0);
                    processes.remove((long) process);
                } else if (choice < 4) {
                    dispatcher.removeDead(dispatcher.dead());
                } else if (choice < 8) {
                    if (!processes.containsKey((long) process)) {
                        runs(process, NOON.plusSeconds(step));
                    }
                    references[process][buffer]++;
                    allocate(process, buffer / ADDRESSES, 64L * (1 + buffer % ADDRESSES));
                } else if (references[process][buffer] > 0) {
                    references[process][buffer]--;
                    free(process, buffer / ADDRESSES, 64L * (1 + buffer % ADDRESSES));
                }
            }
            dispatcher.removeDead(dispatcher.dead());
            formatter.statistics(dispatcher.buffers);
            formatter.stopped();
        }

        private String log() {
            lines.flush();
            return text.toString(StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            channel.close();
            selector.close();
        }
    }
}
