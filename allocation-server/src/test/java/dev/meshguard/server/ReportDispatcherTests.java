package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
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
    void anAddressThatOnlyDeadProcessesHoldIsAllocatedAfterItsDeviceWasOpenedAgain() throws IOException {
        for (int program = 0; program < PROGRAMS; program++) {
            long seed = SEED + program;
            try (Dispatch dispatch = new Dispatch()) {
                dispatch.run(new Random(seed));

                assertThat(dispatch.events()).as("seed %d", seed).isEqualTo(dispatch.expected);
            }
        }
    }

    /** A dispatcher without a socket, simulated processes with a connection each, and what the history must then contain. */
    private static final class Dispatch implements AutoCloseable {
        private final Map<Long, Instant> processes = new HashMap<>();
        private final AllocationTracker tracker = AllocationTracker.create();
        private final ReportDispatcher dispatcher;
        private final Selector selector = Selector.open();
        private final SocketChannel channel = SocketChannel.open();
        private final SelectionKey key;
        private final Map<Long, ClientConnection> connections = new HashMap<>();

        private final List<String> expected = new ArrayList<>();

        /** The open reports of each process that is not known to be dead. */
        private final int[][] references = new int[PROCESSES + 1][DEVICES * ADDRESSES];

        private final boolean[] isOfDeadOnly = new boolean[DEVICES * ADDRESSES];
        private final Set<Integer> running = new TreeSet<>();

        /** Processes that have died since they reported, and were not found dead. */
        private final Set<Integer> dying = new TreeSet<>();

        private Dispatch() throws IOException {
            dispatcher = new ReportDispatcher(
                    new ServerHistory(tracker),
                    DEVICES,
                    process -> Optional.ofNullable(processes.get(process)),
                    List.of());
            dispatcher.recordSize(RecordSize.BYTES_112);
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_CONNECT);
        }

        private void run(Random random) {
            for (int step = 0; step < STEPS; step++) {
                int process = 1 + random.nextInt(PROCESSES);
                int buffer = random.nextInt(DEVICES * ADDRESSES);
                int choice = random.nextInt(12);
                if (choice == 0) {
                    die(process);
                } else if (choice < 4) {
                    check();
                } else if (choice < 8) {
                    allocate(process, buffer, NOON.plusSeconds(step));
                } else if (running.contains(process) && references[process][buffer] > 0) {
                    free(process, buffer);
                }
            }
            check();
        }

        private void die(int process) {
            processes.remove((long) process);
            if (running.remove(process)) {
                dying.add(process);
            }
        }

        private void check() {
            dying.forEach(this::foundDead);
            dying.clear();
            dispatcher.recordDeaths(dispatcher.dead());
        }

        private void foundDead(int process) {
            expected.add("died " + process);
            for (int buffer = 0; buffer < isOfDeadOnly.length; buffer++) {
                boolean isHeld = references[process][buffer] > 0;
                references[process][buffer] = 0;
                int ofBuffer = buffer;
                isOfDeadOnly[buffer] |= isHeld && Stream.of(references).noneMatch(ofOne -> ofOne[ofBuffer] > 0);
            }
        }

        private void allocate(int process, int buffer, Instant since) {
            if (running.add(process)) {
                processes.put((long) process, since);
                connections.put((long) process, new ClientConnection(connections.size() + 1, channel, key));
            }
            if (dying.remove(process)) {
                foundDead(process);
            }
            int device = buffer / ADDRESSES;
            if (isOfDeadOnly[buffer]) {
                expected.add("closed " + device);
                Arrays.fill(isOfDeadOnly, device * ADDRESSES, (device + 1) * ADDRESSES, false);
            }
            references[process][buffer]++;
            expected.add("allocated " + typeOf(buffer) + " " + device + " " + address(buffer) + " by " + process);
            dispatcher.allocated(typeOf(buffer).code(), device, address(buffer), 64, reporting(process));
        }

        private void free(int process, int buffer) {
            references[process][buffer]--;
            expected.add("freed " + typeOf(buffer) + " " + buffer / ADDRESSES + " " + address(buffer));
            dispatcher.freed(buffer / ADDRESSES, address(buffer), reporting(process));
        }

        private static BufferType typeOf(int buffer) {
            return BufferType.values()[buffer % BufferType.values().length];
        }

        private static long address(int buffer) {
            return 64L * (1 + buffer % ADDRESSES);
        }

        private ClientConnection reporting(int process) {
            ClientConnection connection = Objects.requireNonNull(connections.get((long) process));
            dispatcher.reportedBy(process, connection);
            return connection;
        }

        private List<String> events() {
            List<String> events = new ArrayList<>();
            for (HistoryEvent event : tracker.history().events()) {
                if (event instanceof HistoryEvent.Allocated one) {
                    events.add("allocated " + one.type() + " " + one.device() + " " + one.address() + " by "
                            + one.request().details().processId().orElseThrow());
                } else if (event instanceof HistoryEvent.Freed one) {
                    events.add("freed " + one.type() + " " + one.device() + " " + one.address());
                } else if (event instanceof HistoryEvent.ProcessDied one) {
                    events.add("died " + one.processId());
                } else if (event instanceof HistoryEvent.DeviceClosed one) {
                    events.add("closed " + one.device());
                } else if (event instanceof HistoryEvent.FreeIgnored || event instanceof HistoryEvent.ReportsLost) {
                    events.add(event.toString());
                }
            }
            return events;
        }

        @Override
        public void close() throws IOException {
            channel.close();
            selector.close();
        }
    }
}
