package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordCodec;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server records, logs and answers messages by the rules of the server for which a program was written. */
class AllocationServerTests extends WithServer {

    private static final long SEED = Long.getLong("meshguard.seed", 20_260_301);

    @Test
    void theMiniTraceIsLoggedLineByLine() throws IOException {
        start(RecordSize.BYTES_72);

        try (RawClient client = client()) {
            client.send(Request.allocation(7, 0, BufferType.L1, 101_152, 4096));
            assertThat(client.query(0).l1()).isEqualTo(4096);
            client.send(Request.allocation(7, 0, BufferType.L1, 101_152, 2048));
            assertThat(client.query(0).l1()).isEqualTo(4096);
            client.send(Request.free(7, 0, 101_152));
            assertThat(client.query(0).l1()).isEqualTo(4096);
            client.send(Request.free(7, 0, 101_152));
            assertThat(client.query(0).l1()).isZero();
            client.send(Request.free(7, 0, 101_152));
            assertThat(client.query(0)).isEqualTo(MemoryUsage.none(0));
        }
        server.close();

        assertThat(log.toString()).isEqualTo(String.format(Locale.ROOT, """
                🚀 Allocation Server started
                   Listening on: %s
                ✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)
                ✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=101152, ref_count=2)
                ✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, ref_count=1 remaining)
                ✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)
                ⚠ [PID 7] Deallocation for unknown buffer 101152 on device 0 (allocated before tracking started)

                📊 Current Statistics:
                  Active allocations: 0

                🛑 Allocation Server stopped
                """, server.socketPath()));
    }

    /** A program may end without having read an answer. */
    @Test
    void reportsCountThoughAnAnswerCannotBeSent() throws Exception {
        start(RecordSize.BYTES_72);

        try (RawClient client = client().receivesNothing()) {
            client.send(Request.query(0));
            server.awaitQuiet(LONG);
            client.send(Request.allocation(7, 0, BufferType.L1, 101_152, 4096));
        }
        server.awaitQuiet(LONG);

        assertThat(server.tracker().history().live()).hasSize(1);
    }

    @Test
    void buffersCarryTheirProcessAndShareTheirDetails() throws IOException {
        start(RecordSize.BYTES_112);
        report(allocation(7, 4096), allocation(9, 8192), allocation(7, 64), allocation(9, 128));
        report(allocation(8, 256));

        List<AllocationDetails> details = server.tracker().history().events(HistoryEvent.Allocated.class).stream()
                .map(event -> event.request().details())
                .toList();

        assertThat(details).extracting(one -> one.processId().orElseThrow()).containsExactly(7L, 9L, 7L, 9L, 8L);
        assertThat(details.get(2)).isSameAs(details.get(0));
        assertThat(details.get(3)).isSameAs(details.get(1));
    }

    @Test
    void anAnswerHasTheSumsOfEachMemory() throws IOException {
        start(RecordSize.BYTES_144);

        try (RawClient client = client()) {
            client.send(requests(
                    "ALLOC 3 17 0 1; ALLOC 3 34 1 2; ALLOC 3 48 3 3; ALLOC 3 3 2 4; ALLOC 3 68 4 5; CB_ALLOC 3 85 0 6;"
                            + " KERNEL_LOAD 3 102 1 7; QUERY 3 0 0 0"));

            assertThat(client.receive()).isEqualTo(new MemoryUsage(3, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66));
        }
    }

    @Test
    void aDeviceThatCannotBeHasNothing() throws IOException {
        start(RecordSize.BYTES_72);

        try (RawClient client = client()) {
            assertThat(client.query(8)).isEqualTo(MemoryUsage.none(8));
            assertThat(client.query(-1)).isEqualTo(MemoryUsage.none(-1));
        }
    }

    @Test
    void devicesAreThoseThatWereConfigured() throws IOException {
        DeviceInfo third = DeviceInfo.wormhole(2);
        server = builder(RecordSize.BYTES_112)
                .devices(List.of(DeviceInfo.wormhole(0), DeviceInfo.wormhole(1), third))
                .start();

        try (RawClient client = client()) {
            client.send(Request.deviceInfo(DeviceInfo.COUNT), Request.deviceInfo(2), Request.deviceInfo(3));

            for (DeviceInfo expected : List.of(DeviceInfo.count(3), third, DeviceInfo.none(3))) {
                assertThat(client.receive(112))
                        .isEqualTo(RecordCodec.of(RecordSize.BYTES_112)
                                .encode(expected)
                                .array());
            }
        }
    }

    @Test
    void rejectsInvalidReportsAndCountsThemAsLost() throws IOException, InterruptedException {
        start(RecordSize.BYTES_144);

        report(
                requests(
                        "ALLOC 8 64 1 4096; ALLOC -2 64 1 4096; ALLOC 0 0 1 4096; ALLOC 0 107374182401 1 4096; ALLOC 0 64 5 4096"));

        assertThat(lines()).containsExactly("""
                ⚠️  Invalid device_id 8 - ignoring message
                ⚠️  Invalid device_id -2 - ignoring message
                ⚠️  Invalid size 0 - ignoring message
                ⚠️  Invalid size 107374182401 - ignoring message
                ⚠️  Invalid buffer_type 5 for buffer 4096 on device 0""".split("\n"));
        assertThat(losses())
                .containsExactly(
                        "connection 1 (process 7) reported device 8, and this server has devices 0 to 7",
                        "connection 1 (process 7) reported device -2, and this server has devices 0 to 7",
                        "connection 1 (process 7) reported a size of 0 bytes, which cannot be",
                        "connection 1 (process 7) reported a size of 107374182401 bytes, which cannot be",
                        "connection 1 (process 7) reported buffer type 5, and only 0 to 4 are one");
        assertThat(server.activeAllocations()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            BYTES_72  | DEVICE_INFO_QUERY -1 0 0 0; DUMP_KERNELS 0 0 0 0 | Unknown message type: 6, Unknown message type: 12
            BYTES_112 | ALLOC 0 64 9 4096 | ⚠ [PID 7] Invalid buffer_type 9 for buffer 4096 on device 0
            """)
    void earlierServersKnowFewerMessagesAndWarnOfATypeWithItsProcess(RecordSize size, String sent, String logged)
            throws IOException, InterruptedException {
        start(size);

        report(requests(sent));

        assertThat(String.join(", ", lines())).isEqualTo(logged);
    }

    /** Returns requests of process 7, each with its message, device, size, memory and id. */
    private static Request[] requests(String text) {
        return Arrays.stream(text.split("; "))
                .map(AllocationServerTests::request)
                .toArray(Request[]::new);
    }

    private static Request request(String text) {
        String[] fields = text.split(" ", -1);
        return new Request(
                MessageType.valueOf(fields[0]),
                Integer.parseInt(fields[1]),
                Long.parseLong(fields[2]),
                Integer.parseInt(fields[3]),
                7,
                Long.parseLong(fields[4]),
                0);
    }

    @Test
    void aDumpIsWrittenIntoTheLog() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);

        report(
                Request.allocation(7, 0, BufferType.L1, 101_152, 4096),
                Request.allocation(7, 0, BufferType.L1, 101_152, 2048),
                Request.allocation(7, 0, BufferType.DRAM, 0x3ffff800, 12_288));
        report(Request.of(MessageType.DUMP_REMAINING));

        assertThat(lines().subList(3, lines().size())).containsExactly("""
                📋 Received DUMP_REMAINING request...

                ╔══════════════════════════════════════════════════════════════╗
                ║           REMAINING ALLOCATED BUFFERS                       ║
                ╚══════════════════════════════════════════════════════════════╝
                Total tracked allocations: 2

                Device 0:
                  DRAM: 1 buffers, 0.0117188 MB total
                    - Buffer 0x3ffff800: 12 KB (PID 7, ref_count=1)
                  L1: 1 buffers, 0.00390625 MB total
                    - Buffer 0x18b20: 4 KB (PID 7, ref_count=2)

                Total remaining buffers: 2

                📋 DUMP_REMAINING complete.""".split("\n"));
    }

    @Test
    void circularBuffersAndKernelsAreSums() throws IOException, InterruptedException {
        start(RecordSize.BYTES_144);

        try (RawClient client = client()) {
            client.send(requests(
                    "CB_ALLOC 0 4096 0 101152; CB_ALLOC 0 8192 0 101152; CB_FREE 0 0 0 101152; CB_FREE 0 4096 0 101152;"
                            + " CB_FREE 0 4096 0 101152; KERNEL_LOAD 1 131072 1 5; KERNEL_LOAD 1 131072 9 6;"
                            + " KERNEL_UNLOAD 1 131072 2 6; KERNEL_UNLOAD 1 131072 2 99; DUMP_KERNELS 0 0 0 0"));
            assertThat(client.query(0).circularBuffers()).isZero();
            assertThat(client.query(1).kernels()).isEqualTo(131_072);
        }

        assertThat(lines()).containsExactly("""
                ✓ [CB_ALLOC] Device 0: +0.00390625 MB (Total: 0.00390625 MB)
                ✓ [CB_ALLOC] Device 0: +0.0078125 MB (Total: 0.0117188 MB)
                ✗ [CB_FREE] Device 0: -0.0078125 MB (Total: 0.00390625 MB)
                ✗ [CB_FREE] Device 0: -0.00390625 MB (Total: 0 MB)
                ✗ [CB_FREE] Device 0: -0 MB (Total: 0 MB)
                ✓ [KERNEL_LOAD] Fabric kernel on Device 1: +0.125 MB (Total: 0.125 MB)
                ✓ [KERNEL_LOAD] Unknown kernel on Device 1: +0.125 MB (Total: 0.25 MB)
                ✗ [KERNEL_UNLOAD] Dispatch kernel on Device 1: -0.125 MB (Total: 0.125 MB)""".split("\n"));
    }

    @Test
    void statisticsAreLoggedWhenTheirTimeHasCome() throws IOException, InterruptedException {
        AtomicReference<Instant> now = new AtomicReference<>(NOON);
        server = builder(RecordSize.BYTES_112).clock(now::get).start();

        report(
                Request.allocation(7, 1, BufferType.DRAM, 64, 100_000_000),
                Request.allocation(7, 1, BufferType.TRACE, 128, 24));
        now.set(NOON.plusSeconds(10));
        report();
        report();

        assertThat(lines().subList(2, lines().size())).containsExactly("""

                📊 Current Statistics:
                  Device 1:
                    Buffers: 2
                    DRAM: 100000000 bytes (97656.2 KB)
                    L1: 0 bytes (0 KB)
                    Total: 100000024 bytes
                  Active allocations: 2""".split("\n"));
    }

    /** A free of device 1 overtook its allocation, so nothing may be said to have leaked there. */
    @Test
    void aFreeThatFindsNothingHasTheTypeThatItsAddressHadOnAnotherDevice() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);

        report(
                Request.allocation(7, 0, BufferType.TRACE, 0x1000, 64),
                Request.free(7, 0, 0x1000),
                Request.free(7, 1, 0x1000),
                Request.allocation(7, 1, BufferType.TRACE, 0x1000, 64));

        assertThat(verdict().survivors()).extracting(Survivor::status).containsExactly(SurvivorStatus.UNDECIDED);
        assertThat(losses()).isEmpty();
    }

    @Test
    void aFreeThatOvertookItsAllocationLeavesMemoryOfAnyTypeUndecided() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);

        report(
                Request.free(7, 1, 0x1000),
                Request.allocation(7, 1, BufferType.DRAM, 0x1000, 64),
                Request.allocation(7, 1, BufferType.TRACE, 0x1000, 64));

        assertThat(verdict().survivors())
                .extracting(Survivor::status)
                .containsExactly(SurvivorStatus.UNDECIDED, SurvivorStatus.UNDECIDED);
        assertThat(losses())
                .containsExactly("connection 1 (process 7) allocates TRACE 0x1000 (4096) on device 1, and a free of"
                        + " nothing by connection 1 (process 7), which was recorded as one of DRAM, may be its free:"
                        + " reports are missing or out of order");
    }

    @Test
    void withoutAHistoryTheLedgerIsTheSame() throws IOException, InterruptedException {
        server = builder(RecordSize.BYTES_112).withoutHistory().start();
        assertThat(report(allocation(7, 64), allocation(7, 128), free(7, 64), free(7, 64))
                        .l1())
                .isEqualTo(64);
        server.checkProcesses();
        assertThat(server.activeAllocations()).isZero();
        assertThat(server.tracker().history().events()).isEmpty();
        assertThat(verdict().outcome()).isNotEqualTo(Outcome.LEAK_FREE);
        assertThat(LeakCheck.create().examine(readLog().history()).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void allProgramsThatAreConnectedWhenTheServerIsClosedAreNamed() throws IOException {
        start(RecordSize.BYTES_112);
        try (RawClient first = client();
                RawClient second = client();
                RawClient silent = client();
                RawClient monitor = client()) {
            first.send(allocation(7, 64), free(7, 64)).query(0);
            second.send(allocation(9, 64), free(9, 64)).query(0);
            silent.send((byte) 1);
            monitor.query(0);
            server.close();
        }

        LeakVerdict verdict = LeakCheck.create().examine(server.tracker().history());
        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.inconclusiveReasons())
                .extracting(InconclusiveReason::text)
                .singleElement(InstanceOfAssertFactories.STRING)
                .startsWith("An unknown number of reports is missing")
                .endsWith("the allocation server was closed while process 7, process 9, connection 3 were still"
                        + " connected, and read no later report).");
    }

    @Test
    void aServerThatIsClosedAfterItsProgramsEndedProvesThatNothingLeaked() throws IOException {
        start(RecordSize.BYTES_112);
        try (RawClient monitor = client()) {
            try (RawClient client = client()) {
                client.send(Request.allocation(7, 0, BufferType.L1, 64, 64), Request.free(7, 0, 64));
            }
            monitor.query(0);
            server.close();
        }

        LeakVerdict verdict = LeakCheck.create().examine(server.tracker().history());
        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void theServersLogReadsBackAsWhatItsTrackerReceived() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        Random random = new Random(SEED);
        for (long process = 1; process <= 3; process++) {
            runs(process);
        }
        try (RawClient client = client()) {
            // So the type of each free of nothing is known.
            for (long page = 1; page <= 8; page++) {
                client.send(Request.allocation(1, 0, typeOf(page), 4096 * page, 64));
            }
            for (int round = 0; round < 200; round++) {
                Request[] requests = new Request[20];
                for (int i = 0; i < requests.length; i++) {
                    int device = random.nextInt(8);
                    int process = 1 + random.nextInt(3);
                    long page = 1L + random.nextInt(8);
                    long id = 4096 * page;
                    requests[i] = random.nextInt(100) < 52
                            ? Request.allocation(process, device, typeOf(page), id, 64L << random.nextInt(20))
                            : Request.free(process, device, id);
                }
                client.send(requests);
            }
            client.send(Request.of(MessageType.DUMP_REMAINING)).query(0);
        }
        server.close();

        AllocationLog read = readLog();

        assertThat(read.history().lostReports()).as("seed %d", SEED).isEmpty();
        assertThat(read.unread().count()).isZero();
        assertThat(reports(read.history()))
                .as("seed %d", SEED)
                .isEqualTo(reports(server.tracker().history()));
        assertThat(read.history().live())
                .hasSameSizeAs(server.tracker().history().live());
        assertThat(read.history().live()).hasSize((int) server.activeAllocations());
    }

    private static BufferType typeOf(long page) {
        return BufferType.values()[(int) (page % 5)];
    }

    private static List<String> reports(AllocationHistory history) {
        return history.events().stream()
                .filter(event -> event instanceof HistoryEvent.Allocated || event instanceof HistoryEvent.Freed)
                .map(event -> event.toString().replaceFirst("^#\\d+ ", ""))
                .toList();
    }
}
