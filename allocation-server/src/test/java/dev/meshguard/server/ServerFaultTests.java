package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.process.ReportingProgram;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A faulty connection of one program loses no report of others and adds none. */
class ServerFaultTests extends WithServer {

    private static final long SEED = Long.getLong("meshguard.seed", 20_260_301);
    private static final int OPERATIONS = Integer.getInteger("meshguard.operations", 100_000);
    private static final long NANOSECONDS_SINCE_1970 = 1_772_366_400_123_456_789L;
    private static final int CLIENTS = 64;
    private static final int MAX_BUFFERS_OF_CLIENT = 50_000;

    @ParameterizedTest
    @EnumSource
    void recordsThatArriveInTwoPartsAreWholeWhereverTheyAreCut(RecordSize size)
            throws IOException, InterruptedException {
        start(size);
        byte[] records = bytes(
                size,
                Request.allocation(7, 0, BufferType.L1, 4096, 64),
                Request.free(7, 0, 4096),
                Request.allocation(7, 0, BufferType.L1, 8192, 32));

        for (int cut = 0; cut <= records.length; cut++) {
            try (RawClient client = client()) {
                client.send(Arrays.copyOf(records, cut));
                server.awaitQuiet(LONG);
                client.send(Arrays.copyOfRange(records, cut, records.length));

                assertThat(client.query(0).l1()).as("cut after %d bytes", cut).isEqualTo(32);
                client.send(Request.free(7, 0, 8192));
                assertThat(client.query(0).l1()).as("cut after %d bytes", cut).isZero();
            }
        }
        assertThat(losses()).isEmpty();
        assertThat(server.problems()).isEmpty();
    }

    static Stream<Arguments> otherSizes() {
        return Stream.of(RecordSize.values())
                .flatMap(theirs -> Stream.of(RecordSize.values())
                        .filter(ours -> ours != theirs)
                        .flatMap(ours -> Stream.of(Arguments.of(theirs, ours, 28), Arguments.of(theirs, ours, 1))));
    }

    @ParameterizedTest
    @MethodSource("otherSizes")
    void recordsOfAnotherSizeAreNamedHoweverManyComeTogether(RecordSize theirs, RecordSize ours, int together)
            throws IOException, InterruptedException {
        start(ours);
        Request[] requests = allocations(28);
        try (RawClient program = client(theirs)) {
            for (int i = 0; i < requests.length && server.problems().isEmpty(); i += together) {
                program.send(Arrays.copyOfRange(requests, i, i + together));
                server.awaitQuiet(LONG);
            }

            assertThat(program.isRejected()).isTrue();
        }

        assertThat(server.problems())
                .singleElement()
                .asString()
                .matches("connection 1( \\(process 2657333\\))? sends records of " + theirs.bytes()
                        + " bytes and this server reads " + ours.bytes() + ": set it with recordSize\\(…\\), or with"
                        + " meshguard record --record-size " + theirs.bytes());
        assertThat(losses()).isEqualTo(server.problems());
        assertThat(server.tracker().liveBuffers()).isLessThanOrEqualTo(1);
        assertThat(verdict().outcome()).isIn(Outcome.INCONCLUSIVE, Outcome.LEAKED);
    }

    static Stream<Arguments> failures() {
        long heap = Runtime.getRuntime().maxMemory() >> 20;
        return Stream.of(
                Arguments.of(
                        new OutOfMemoryError("injected"),
                        "the server is out of memory and ends: its heap of " + heap
                                + " MiB is full. Allow it more (-Xmx)"),
                Arguments.of(
                        new StackOverflowError("injected"),
                        "the server stopped: java.lang.StackOverflowError: injected"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    @Timeout(60)
    void aServerThatFailsSaysSoAndLetsNobodyWait(Error failure, String sentence) throws Exception {
        server = builder(RecordSize.BYTES_112)
                .processInspector(process -> {
                    throw failure;
                })
                .start();
        try (RawClient client = client()) {
            assertThat(client.send(allocation(7, 4096)).isRejected()).isTrue();
        }

        assertThat(server.awaitQuiet(Duration.ofDays(1))).isFalse();
        assertThat(server.failure()).contains(sentence);
        assertThat(server.problems()).containsExactly(sentence);
        assertThat(losses()).containsExactly(sentence);
        assertThat(folder.resolve("s")).doesNotExist();
    }

    @Test
    void keepsFewEventsOfManyRejectedMessagesAndCountsAll() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        int messages = 50_000;
        Request[] rejected = new Request[messages];
        Arrays.setAll(rejected, message -> Request.allocation(7, 100 + message, BufferType.L1, 64, 64));
        AllocationTracker tracker = server.tracker();
        report(rejected);
        server.close();

        assertThat(tracker.history().lostReports())
                .hasSizeLessThan(1100)
                .extracting(HistoryEvent.ReportsLost::count)
                .satisfies(counts -> assertThat(
                                counts.stream().mapToLong(count -> count).sum())
                        .isEqualTo(messages));
    }

    @Test
    void aProgramThatDoesNotTakeItsAnswersWaitsAlone() throws Exception {
        start(RecordSize.BYTES_112);
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (RawClient slow = client();
                RawClient other = client()) {
            Request[] questions = new Request[20_000];
            Arrays.fill(questions, Request.query(0));
            Future<RawClient> sending = threads.submit(() -> slow.send(questions));
            assertThat(server.await(all -> all.stream().anyMatch(one -> one.records() > 1000), LONG))
                    .isTrue();

            assertThat(other.send(allocation(7, 4096)).query(0).l1()).isEqualTo(64);
            for (int answer = 0; answer < questions.length; answer++) {
                slow.receive();
            }
            sending.get(30, TimeUnit.SECONDS);
        } finally {
            threads.shutdownNow();
        }
        assertThat(records()).isEqualTo(20_002);
    }

    @Test
    void ofManyProgramsAtOnceNothingIsLost() throws Exception {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        server = builder(RecordSize.BYTES_112).tracker(tracker).start();
        int buffers = Math.max(500, Math.min(MAX_BUFFERS_OF_CLIENT, OPERATIONS / CLIENTS));
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Callable<Long>> programs = new ArrayList<>();
            for (int program = 0; program < CLIENTS; program++) {
                int number = program;
                programs.add(() -> allocateAndFreeAllButOne(number, buffers));
            }
            for (Future<Long> program : threads.invokeAll(programs)) {
                assertThat(program.get()).isEqualTo(2L * buffers);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(records()).isEqualTo(2L * CLIENTS * buffers);
        assertThat(tracker.liveBuffers()).isEqualTo(CLIENTS);
        assertThat(tracker.history().allocatedBuffers()).isEqualTo(buffers * CLIENTS);
        try (RawClient monitor = client()) {
            for (int device = 0; device < 8; device++) {
                assertThat(monitor.query(device).dram()).isEqualTo(64L * CLIENTS / 8);
                assertThat(tracker.liveBytes(device, BufferType.DRAM)).isEqualTo(64L * CLIENTS / 8);
            }
        }
        assertThat(server.problems()).isEmpty();
    }

    /** Returns the number of records sent: one for each buffer, for each free of all but one, and a query. */
    private long allocateAndFreeAllButOne(int program, int buffers) throws IOException {
        long sent = 0;
        try (RawClient client = client()) {
            for (int buffer = 0; buffer < buffers; buffer++) {
                long id = (long) program * buffers + buffer + 1;
                client.send(Request.allocation(1000 + program, program % 8, BufferType.DRAM, id, 64));
                sent++;
                if (buffer > 0) {
                    client.send(Request.free(1000 + program, program % 8, id));
                    sent++;
                }
            }
            client.query(0);
            return sent + 1;
        }
    }

    @Test
    void aProcessThatIsKilledInTheMiddleLeavesWhatItReported() throws Exception {
        server = builder(RecordSize.BYTES_112)
                .processInspector(ProcessInspector.ofThisMachine())
                .start();
        ProcessBuilder command = new ProcessBuilder(ReportingProgram.command("many 1000000000")).inheritIO();
        command.environment()
                .put(AllocationClient.SOCKET_VARIABLE, server.socketPath().toString());
        Process program = command.start();
        try {
            assertThat(server.await(all -> all.stream().anyMatch(one -> one.reports() > 100), LONG))
                    .isTrue();
        } finally {
            program.destroyForcibly();
        }
        program.waitFor();
        assertThat(server.await(all -> all.stream().noneMatch(ConnectionSnapshot::isOpen), LONG))
                .isTrue();
        server.checkProcesses();

        long reported = server.connections().get(0).reports();
        assertThat(server.connections().get(0).processes()).containsExactly(program.pid());
        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict().survivors())
                .hasSize((int) reported)
                .extracting(Survivor::cause)
                .containsOnly(Cause.PROCESS_DIED);
    }

    @Test
    void linesThatCannotBeRecordedEndNothingThoughNobodyReadsTheAnswers() throws Exception {
        start(RecordSize.BYTES_112);

        try (RawClient client = client().send(lines(900))) {
            client.send("{\"op\":\"bye\",\"n\":1}\n".getBytes(StandardCharsets.UTF_8));
        }
        server.await(all -> all.stream().noneMatch(ConnectionSnapshot::isOpen), LONG);

        assertThat(losses()).hasSize(900);
        assertThat(server.problems()).isEmpty();
    }

    @Test
    void aConnectionWithOnlyLinesThatCannotBeRecordedIsClosed() throws Exception {
        start(RecordSize.BYTES_112);

        try (RawClient client = client()) {
            client.isRejectedAfter(lines(1000));
            server.await(all -> all.stream().noneMatch(ConnectionSnapshot::isOpen), LONG);
        }

        assertThat(server.problems())
                .containsExactly(
                        "connection 1 (process 7) sent 1000 lines that could not be recorded, so it was closed");
        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(server.tracker().liveBuffers()).isOne();
    }

    /** Returns a hello, a report, and many lines that cannot be recorded. */
    private static byte[] lines(int invalid) {
        String begin =
                "{'op':'hello','version':1,'pid':7}\n{'op':'alloc','n':1,'device':0,'type':'L1','address':64,'size':64}\n";
        String rest = ("{'op':'free','x':'" + "y".repeat(200) + "'}\n").repeat(invalid);
        return (begin + rest).replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void whatWasSentBeforeTheServerIsClosedIsEntered() throws IOException {
        start(RecordSize.BYTES_112);
        try (RawClient client = client()) {
            for (int i = 1; i <= 1000; i++) {
                client.send(Request.allocation(7, 0, BufferType.L1, i, 1));
            }
            server.close();

            assertThat(server.tracker().liveBuffers()).isEqualTo(1000);
        }
    }

    @Test
    void randomBytesNeitherStopTheServerNorInventABuffer() throws IOException, InterruptedException {
        start(RecordSize.BYTES_72);
        Random random = new Random(SEED);
        long sent = 0;
        int connections = Math.max(20, OPERATIONS / 500);
        for (int connection = 0; connection < connections; connection++) {
            try (RawClient client = client()) {
                byte[] bytes = new byte[72 * 50];
                random.nextBytes(bytes);
                for (int at = 0; at < bytes.length; at += 72) {
                    bytes[at] = (byte) random.nextInt(16);
                    sent += bytes[at] == 1 ? 1 : 0;
                    if (random.nextBoolean()) {
                        Arrays.fill(bytes, at + 1, at + 4, (byte) 0);
                        Arrays.fill(bytes, at + 40, at + 72, (byte) 0);
                    }
                }
                client.send(Arrays.copyOf(bytes, random.nextInt(bytes.length)));
            } catch (IOException e) {
                // The server may close the connection during a write.
                assertThat(e).as("seed %d, connection %d", SEED, connection).matches(RawClient::isClosedByServer);
            }
        }

        assertThat(server.awaitQuiet(LONG)).isTrue();
        assertThat(server.tracker().liveBuffers()).as("seed %d", SEED).isLessThanOrEqualTo(sent);
        try (RawClient client = client()) {
            assertThat(client.send(new Request(MessageType.DUMP_REMAINING, 0, 0, 0, 0, 0, 0))
                            .query(0))
                    .isNotNull();
        }
    }

    private static Request[] allocations(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Request(
                        MessageType.ALLOC, i % 8, 4096, 1, 2_657_333, 101_152 + 4096L * i, NANOSECONDS_SINCE_1970 + i))
                .toArray(Request[]::new);
    }

    private long records() {
        return server.connections().stream()
                .mapToLong(ConnectionSnapshot::records)
                .sum();
    }

    private static byte[] bytes(RecordSize size, Request... requests) {
        ByteBuffer records = ByteBuffer.allocate(requests.length * size.bytes());
        for (Request request : requests) {
            records.put(request.toRecord(size));
        }
        return records.array();
    }
}
