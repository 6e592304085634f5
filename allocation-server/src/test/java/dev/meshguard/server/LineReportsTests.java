package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that reports in lines of JSON are judged like the reports of a test. */
@Timeout(120)
class LineReportsTests extends WithServer {

    private static final String HELLO = "{'op':'hello','version':1,'pid':7,'name':'program'}";
    private static final String ALLOC = "{'op':'alloc','n':1,'device':0,'type':'DRAM','address':4096,'size':64}";
    private static final String FREE = "{'op':'free','n':2,'device':0,'type':'DRAM','address':4096}";
    private static final String BYE = "{'op':'bye','n':2}";

    /** Processes of which a parent would know that they failed. */
    private final Set<Long> failed = new HashSet<>();

    // The connection

    @Test
    void aClientIsAnswered() throws Exception {
        startAuto();

        try (RawClient client = rawClient().send(bytes(HELLO, ALLOC.replace("'device':0", "'device':-1")))) {
            assertThat(answer(client)).isEqualTo("{\"ok\":1}");
            assertThat(answer(client))
                    .isEqualTo("{\"error\":\"line 2 has \\\"device\\\" -1, and valid are 0 to 65535\",\"line\":2}");
        }
    }

    @Test
    void linesMayArriveByteByByte() throws Exception {
        startAuto();

        try (RawClient client = rawClient()) {
            for (byte one : bytes(HELLO, with(ALLOC, "'label':'kv-cache'"), "{'op':'bye','n':1}")) {
                client.send(one);
            }
        }

        assertThat(onlyBuffer().request().details().label()).contains("kv-cache");
    }

    /** A program may end before the server answers its first line. */
    @Test
    void linesCountThoughTheAnswerCannotBeSent() throws Exception {
        startAuto();

        try (RawClient client = rawClient().receivesNothing()) {
            client.send(bytes(HELLO));
            server.awaitQuiet(LONG);
            client.send(bytes(ALLOC, "{'op':'bye','n':1}"));
        }

        assertThat(history().live()).hasSize(1);
        assertThat(verdict().inconclusiveReasons()).isEmpty();
    }

    @Test
    void answersThatNobodyReadsEndNothing() throws Exception {
        startAuto();
        String[] bad = Stream.generate(() -> "{'op':'free','x':'" + "y".repeat(200) + "'}")
                .limit(900)
                .toArray(String[]::new);

        try (RawClient client = rawClient()) {
            client.send(bytes(HELLO)).send(bytes(bad)).send(bytes(ALLOC, FREE, BYE));
            server.awaitQuiet(LONG);
        }

        assertThat(history().events(HistoryEvent.Freed.class)).hasSize(1);
        assertThat(losses()).hasSize(900);
    }

    @Test
    void recordsAndLinesReachOneServerSideBySide() throws Exception {
        start(RecordSize.BYTES_112);
        runs(8);

        try (RawClient client = rawClient();
                RawClient old = client()) {
            client.send(bytes(HELLO, ALLOC));
            answer(client);
            old.send(Request.allocation(8, 0, BufferType.DRAM, 8192, 32));
            server.awaitQuiet(LONG);

            MemoryUsage usage = old.query(0);

            assertThat(usage.dram()).isEqualTo(96);
            assertThat(server.connections().stream().map(ConnectionSnapshot::reports))
                    .containsExactly(1L, 1L);
        }
    }

    // What lines can say

    @Test
    void aProcessFreesNoBufferOfAnotherOne() throws Exception {
        startAuto();

        try (RawClient parent = rawClient().send(bytes(HELLO.replace("7", "6"), ALLOC, "{'op':'idle','n':1}"))) {
            answer(parent);
            server.awaitQuiet(LONG);
            send(HELLO, FREE.replace("2", "1"), "{'op':'bye','n':1}");

            assertThat(server.tracker().liveBuffers()).isOne();
        }

        assertThat(losses())
                .containsExactly(
                        "connection 2 (process 7) freed DRAM 0x1000 (4096) on device 0, which only another process"
                                + " has allocated");
        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aFreeIsNotMovedToTheOthersOfItsRequest() throws Exception {
        startAuto();

        send(
                HELLO,
                with(ALLOC, "'request':1"),
                with(FREE, "'request':2"),
                with(numbered(ALLOC, 3), "'request':3"),
                with(numbered(FREE, 4), "'request':2").replace("'device':0", "'device':1"),
                "{'op':'bye','n':4}");

        assertThat(history().events())
                .filteredOn(HistoryEvent.OfMemory.class::isInstance)
                .extracting(Object::getClass)
                .containsExactly(
                        HistoryEvent.Allocated.class,
                        HistoryEvent.Freed.class,
                        HistoryEvent.Allocated.class,
                        HistoryEvent.Freed.class);
    }

    @Test
    void aByteThatIsNoUtf8IsShownAsOne() throws Exception {
        startAuto();
        byte[] bytes = bytes(HELLO, with(ALLOC, "'label':'caf#'"), "{'op':'bye','n':1}");
        IntStream.range(0, bytes.length).filter(at -> bytes[at] == '#').forEach(at -> bytes[at] = (byte) 0xe9);

        send(bytes);

        assertThat(onlyBuffer().request().details().label()).contains("caf\ufffd");
    }

    // The end

    @Test
    void aProcessThatFailedWithoutALastLineHasDied() throws Exception {
        startAuto();
        failed.add(7L);

        send(HELLO, ALLOC);
        server.checkProcesses();

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(causes()).containsExactly(Cause.PROCESS_DIED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"idle", "bye"})
    void aProgramThatFreedAllAndSentAllIsClean(String last) throws Exception {
        startAuto();
        failed.add(7L);

        send(HELLO, ALLOC, FREE, "{'op':'" + last + "','n':2}");
        server.checkProcesses();

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aLineThatIsCutAtTheEndIsMissing() throws Exception {
        startAuto();
        byte[] bytes = bytes(HELLO, ALLOC, FREE, BYE, "{'op':'alloc','n':3");

        send(Arrays.copyOf(bytes, bytes.length - 1));

        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void aClientWhoseProcessCannotBeSeenIsAliveAsLongAsItIsConnected() throws Exception {
        startAuto();

        try (RawClient client = rawClient().send(bytes(HELLO, ALLOC))) {
            answer(client);
            server.awaitQuiet(LONG);
            server.checkProcesses();

            assertThat(history().events(HistoryEvent.ProcessDied.class)).isEmpty();
        }
    }

    /** A process ended and left a buffer. Another process allocates the address, so the device was closed in between. */
    @Test
    void aProcessHoldsItsMemoryUntilItsLastConnectionEnds() throws Exception {
        start(RecordSize.BYTES_112);
        runs(7);
        runs(8);
        Request again = Request.allocation(8, 0, BufferType.DRAM, 4096, 64);

        try (RawClient first = rawClient().send(bytes(HELLO, ALLOC))) {
            answer(first);
            send(HELLO, "{'op':'bye','n':0}");
            report(again, Request.free(8, 0, 4096));
            assertThat(history().events(HistoryEvent.DeviceClosed.class)).isEmpty();
        }
        server.await(all -> all.stream().noneMatch(ConnectionSnapshot::isOpen), LONG);

        report(again);
        assertThat(history().events(HistoryEvent.DeviceClosed.class)).hasSize(1);
    }

    // What is not read

    @Test
    void aLineThatIsTooLongIsSkipped() throws Exception {
        startAuto();

        send(HELLO, with(ALLOC, "'label':'" + "x".repeat(300_000) + "'"), FREE, BYE);

        assertThat(losses()).first().isEqualTo("connection 1 (process 7): line 2 has more than 65536 bytes");
        assertThat(history().events(HistoryEvent.Freed.class)).hasSize(1);
    }

    @Test
    void aLineThatIsTooLongHasNoneOfTheFieldsOfAnotherClient() throws Exception {
        startAuto();

        try (RawClient other = rawClient()) {
            other.send(bytes(HELLO, numbered(ALLOC, 1), "{'op':'phase','n':1000}"));
            server.awaitQuiet(LONG);
            send(HELLO, "x".repeat(70_000), ALLOC, FREE, BYE);
        }

        assertThat(history().lostReports())
                .noneMatch(
                        lost -> lost.reason().contains("1000") || lost.reason().contains("after 10"));
    }

    @Test
    void aLineOfTheLargestLengthIsRead() throws Exception {
        startAuto();
        String line = with(ALLOC, "'label':''");

        send(HELLO, line.replace("''", "'" + "x".repeat((1 << 16) - line.length()) + "'"), "{'op':'bye','n':1}");

        assertThat(onlyBuffer().request().details().label()).contains("x".repeat(4096));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\t\n", " \n", "[\n", "\ufeff", " "})
    void aConnectionThatBeginsWithSomethingElseIsReadOrNamed(String first) throws Exception {
        startAuto();

        send((first + new String(bytes(HELLO, ALLOC, "{'op':'bye','n':1}"), StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8));
        send(HELLO, "{'op':'bye','n':0}");

        assertThat(history().live().isEmpty()).isNotEqualTo(losses().isEmpty());
        assertThat(verdict().outcome()).isIn(Outcome.LEAKED, Outcome.INCONCLUSIVE);
    }

    @Test
    void aConnectionWithOnlyInvalidLinesIsClosed() throws Exception {
        startAuto();

        try (RawClient client = rawClient()) {
            client.send(bytes(HELLO, ALLOC));
            assertThat(client.isRejectedAfter("{}\n".repeat(1000).getBytes(StandardCharsets.UTF_8)) || isClosed(client))
                    .isTrue();
        }

        assertThat(server.problems())
                .containsExactly(
                        "connection 1 (process 7) sent 1000 lines that could not be recorded, so it was closed");
        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(history().live()).hasSize(1);
    }

    @Test
    void moreIdsThanTheLimitAreErrors() throws Exception {
        startAuto();
        Stream<String> stacks = IntStream.rangeClosed(1, 65_537)
                .mapToObj(id -> "{'op':'stack','id':" + id + ",'frames':['f (a.py:3)']}");

        send(Stream.concat(Stream.of(HELLO), stacks).toArray(String[]::new));

        assertThat(losses())
                .first()
                .isEqualTo("connection 1 (process 7): line 65538 defines more than 65536 ids, which is the limit."
                        + " Use ids again");
    }

    // Helpers

    private void startAuto() throws IOException {
        server = builder()
                .processInspector(new ProcessInspector() {
                    @Override
                    public Optional<Instant> inspect(long processId) {
                        return Optional.empty();
                    }

                    @Override
                    public boolean hasFailed(long processId) {
                        return failed.contains(processId);
                    }
                })
                .start();
    }

    private static byte[] bytes(String... lines) {
        return Arrays.stream(lines)
                .map(line -> line.replace('\'', '"') + "\n")
                .collect(Collectors.joining())
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String with(String line, String fields) {
        return line.substring(0, line.length() - 1) + "," + fields + "}";
    }

    private static String numbered(String line, int number) {
        return line.replaceFirst("'n':\\d+", "'n':" + number);
    }

    private void send(String... lines) throws Exception {
        send(bytes(lines));
    }

    private static String answer(RawClient client) throws IOException {
        StringBuilder line = new StringBuilder();
        byte next = client.receive(1)[0];
        while (next != '\n') {
            line.append((char) next);
            next = client.receive(1)[0];
        }
        return line.toString();
    }

    private static boolean isClosed(RawClient client) throws IOException {
        try {
            while (true) {
                client.receive(1);
            }
        } catch (IOException e) {
            return e instanceof EOFException || RawClient.isClosedByServer(e);
        }
    }

    private AllocationHistory history() throws InterruptedException {
        server.awaitQuiet(LONG);
        return server.tracker().history();
    }

    private BufferGeneration onlyBuffer() throws InterruptedException {
        List<BufferGeneration> live = history().live();
        assertThat(live).hasSize(1);
        return live.get(0);
    }
}
