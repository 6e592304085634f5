package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

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
    void buffersCarryTheirProcessAndConnection() throws IOException {
        start(RecordSize.BYTES_112);

        try (RawClient first = client();
                RawClient second = client()) {
            first.send(Request.allocation(7, 3, BufferType.DRAM, 4096, 64)).query(0);
            second.send(Request.allocation(8, 3, BufferType.DRAM, 8192, 64)).query(0);
        }

        assertThat(server.tracker().history().events())
                .filteredOn(HistoryEvent.Allocated.class::isInstance)
                .extracting(event -> ((HistoryEvent.Allocated) event).request().details())
                .extracting(
                        details -> details.processId().orElseThrow(),
                        details -> details.connection().orElseThrow())
                .containsExactly(tuple(7L, 1), tuple(8L, 2));
    }

    @Test
    void buffersOfProcessesThatTakeTurnsShareTheirDetails() throws IOException {
        start(RecordSize.BYTES_112);
        try (RawClient client = client()) {
            for (int buffer = 1; buffer <= 3; buffer++) {
                client.send(
                        Request.allocation(7, 0, BufferType.L1, 64L * buffer, 64),
                        Request.allocation(9, 1, BufferType.L1, 64L * buffer, 64));
            }
            client.query(0);
        }

        assertThat(server.tracker().history().live())
                .filteredOn(buffer -> buffer.device() == 0)
                .extracting(buffer -> System.identityHashCode(buffer.request().details()))
                .hasSize(3)
                .containsOnly(System.identityHashCode(
                        server.tracker().history().live().get(0).request().details()));
    }

    @Test
    void everyAnswerIsOneRecordByteForByte() throws IOException {
        start(RecordSize.BYTES_144);

        try (RawClient client = client()) {
            client.send(
                    Request.allocation(7, 3, BufferType.DRAM, 1, 0x11),
                    Request.allocation(7, 3, BufferType.L1, 2, 0x22),
                    Request.allocation(7, 3, BufferType.L1_SMALL, 3, 0x30),
                    Request.allocation(7, 3, BufferType.SYSTEM_MEMORY, 4, 0x03),
                    Request.allocation(7, 3, BufferType.TRACE, 5, 0x44),
                    new Request(MessageType.CB_ALLOC, 3, 0x55, 0, 7, 6, 0),
                    new Request(MessageType.KERNEL_LOAD, 3, 0x66, 1, 7, 7, 0),
                    Request.query(3));

            assertThat(HexFormat.of().formatHex(client.receive(144)))
                    .isEqualTo("0400000003000000" + "00".repeat(32) + "1100000000000000" + "2200000000000000"
                            + "3300000000000000" + "4400000000000000" + "5500000000000000" + "6600000000000000"
                            + "00".repeat(56));
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
    void messagesOfLaterServersAreUnknownToEarlierOnes() throws IOException, InterruptedException {
        start(RecordSize.BYTES_72);

        try (RawClient client = client()) {
            client.send(Request.deviceInfo(-1), Request.of(MessageType.DUMP_KERNELS));
            client.query(0);
        }

        assertThat(lines()).containsExactly("Unknown message type: 6", "Unknown message type: 12");
    }

    @Test
    void rejectsInvalidReportsAndCountsThemAsLost() throws IOException, InterruptedException {
        start(RecordSize.BYTES_144);

        try (RawClient client = client()) {
            client.send(
                    new Request(MessageType.ALLOC, 8, 64, 1, 7, 4096, 0),
                    new Request(MessageType.ALLOC, -2, 64, 1, 7, 4096, 0),
                    new Request(MessageType.ALLOC, 0, 0, 1, 7, 4096, 0),
                    new Request(MessageType.ALLOC, 0, (100L << 30) + 1, 1, 7, 4096, 0),
                    new Request(MessageType.ALLOC, 0, 64, 5, 7, 4096, 0));
            client.query(0);
        }

        assertThat(lines())
                .containsExactly(
                        "⚠️  Invalid device_id 8 - ignoring message",
                        "⚠️  Invalid device_id -2 - ignoring message",
                        "⚠️  Invalid size 0 - ignoring message",
                        "⚠️  Invalid size 107374182401 - ignoring message",
                        "⚠️  Invalid buffer_type 5 for buffer 4096 on device 0");
        assertThat(losses())
                .containsExactly(
                        "connection 1 (process 7) reported device 8, and this server has devices 0 to 7",
                        "connection 1 (process 7) reported device -2, and this server has devices 0 to 7",
                        "connection 1 (process 7) reported a size of 0 bytes, which cannot be",
                        "connection 1 (process 7) reported a size of 107374182401 bytes, which cannot be",
                        "connection 1 (process 7) reported buffer type 5, and only 0 to 4 are one");
        assertThat(server.activeAllocations()).isZero();
    }

    @Test
    void theFirstServersWarnOfABufferTypeWithItsProcess() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);

        try (RawClient client = client()) {
            client.send(new Request(MessageType.ALLOC, 0, 64, 9, 7, 4096, 0));
            client.query(0);
        }

        assertThat(lines()).containsExactly("⚠ [PID 7] Invalid buffer_type 9 for buffer 4096 on device 0");
    }

    @Test
    void aDumpIsWrittenIntoTheLog() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);

        try (RawClient client = client()) {
            client.send(
                    Request.allocation(7, 0, BufferType.L1, 101_152, 4096),
                    Request.allocation(7, 0, BufferType.L1, 101_152, 2048),
                    Request.allocation(7, 0, BufferType.DRAM, 0x3ffff800, 12_288),
                    Request.of(MessageType.DUMP_REMAINING));
            client.query(0);
        }

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
            client.send(
                    new Request(MessageType.CB_ALLOC, 0, 4096, 0, 7, 101_152, 0),
                    new Request(MessageType.CB_ALLOC, 0, 8192, 0, 7, 101_152, 0),
                    new Request(MessageType.CB_FREE, 0, 0, 0, 7, 101_152, 0),
                    new Request(MessageType.CB_FREE, 0, 4096, 0, 7, 101_152, 0),
                    new Request(MessageType.CB_FREE, 0, 4096, 0, 7, 101_152, 0),
                    new Request(MessageType.KERNEL_LOAD, 1, 131_072, 1, 7, 5, 0),
                    new Request(MessageType.KERNEL_LOAD, 1, 131_072, 9, 7, 6, 0),
                    new Request(MessageType.KERNEL_UNLOAD, 1, 131_072, 2, 7, 6, 0),
                    new Request(MessageType.KERNEL_UNLOAD, 1, 131_072, 2, 7, 99, 0),
                    Request.of(MessageType.DUMP_KERNELS));
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

        try (RawClient client = client()) {
            client.send(
                    Request.allocation(7, 1, BufferType.DRAM, 64, 100_000_000),
                    Request.allocation(7, 1, BufferType.TRACE, 128, 24));
            client.query(0);
            now.set(NOON.plusSeconds(10));
            client.query(0);
            client.query(0);
        }

        assertThat(lines().subList(2, lines().size())).containsExactly("""

                📊 Current Statistics:
                  Device 1:
                    Buffers: 2
                    DRAM: 100000000 bytes (97656.2 KB)
                    L1: 0 bytes (0 KB)
                    Total: 100000024 bytes
                  Active allocations: 2""".split("\n"));
    }

    /** The free of device 1 overtook its allocation, so nothing may be said to have leaked there. */
    @Test
    void aFreeThatFindsNothingHasTheTypeThatItsAddressHadOnAnotherDevice() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);

        try (RawClient client = client()) {
            client.send(
                    Request.allocation(7, 0, BufferType.TRACE, 0x1000, 64),
                    Request.free(7, 0, 0x1000),
                    Request.free(7, 1, 0x1000),
                    Request.allocation(7, 1, BufferType.TRACE, 0x1000, 64));
        }

        assertThat(verdict().survivors()).extracting(Survivor::status).containsExactly(SurvivorStatus.UNDECIDED);
    }

    @Test
    void aFreeThatOvertookItsAllocationLeavesMemoryOfAnyTypeUndecided() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);

        try (RawClient client = client()) {
            client.send(
                    Request.free(7, 1, 0x1000),
                    Request.allocation(7, 1, BufferType.DRAM, 0x1000, 64),
                    Request.allocation(7, 1, BufferType.TRACE, 0x1000, 64));
        }

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
        try (RawClient client = client()) {
            client.send(
                    Request.allocation(7, 0, BufferType.L1, 64, 64), Request.allocation(7, 0, BufferType.L1, 128, 64));
            client.send(Request.free(7, 0, 64), Request.free(7, 0, 64));
            assertThat(client.query(0).l1()).isEqualTo(64);
        }
        server.checkProcesses();
        assertThat(server.activeAllocations()).isZero();
        assertThat(server.tracker().history().events()).isEmpty();
        assertThat(verdict().outcome()).isNotEqualTo(Outcome.LEAK_FREE);
        AllocationLog read = AllocationLog.read(
                new ByteArrayInputStream(log.toString().getBytes(StandardCharsets.UTF_8)), "server.log");
        assertThat(LeakCheck.create().examine(read.history()).outcome()).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void allProgramsThatAreConnectedWhenTheServerIsClosedAreNamed() throws IOException {
        start(RecordSize.BYTES_112);
        try (RawClient first = client();
                RawClient second = client();
                RawClient silent = client();
                RawClient monitor = client()) {
            first.send(Request.allocation(7, 0, BufferType.L1, 64, 64), Request.free(7, 0, 64));
            first.query(0);
            second.send(Request.allocation(9, 0, BufferType.L1, 64, 64), Request.free(9, 0, 64));
            second.query(0);
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

        AllocationLog read = AllocationLog.read(
                new ByteArrayInputStream(log.toString().getBytes(StandardCharsets.UTF_8)), "server.log");

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
