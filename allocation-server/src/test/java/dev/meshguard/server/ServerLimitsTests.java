package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.log.AllocationLog;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The memory that programs can occupy is bounded; a rejected report is recorded, and no program is delayed. */
class ServerLimitsTests extends WithServer {

    @Test
    void whatDoesNotFitIsSaidOnceAndMakesTheVerdictInconclusive() throws IOException, InterruptedException {
        server = builder(RecordSize.BYTES_112).maxBuffers(3).start();
        try (RawClient client = client()) {
            for (int id = 1; id <= 5; id++) {
                client.send(Request.allocation(7, 0, BufferType.L1, id, 64));
            }
            assertThat(client.query(0).l1()).isEqualTo(3 * 64);
            for (int id = 1; id <= 5; id++) {
                client.send(Request.free(7, 0, id));
            }
            client.send(Request.allocation(7, 0, BufferType.L1, 6, 64));
            assertThat(client.query(0).l1()).isEqualTo(64);
            client.send(Request.free(7, 0, 6)).query(0);
        }

        String why = "3 buffers are the limit (--max-buffers, maxBuffers), so more are rejected";
        assertThat(server.problems()).containsExactly(why + " and count as lost reports");
        assertThat(losses()).startsWith(why, why).hasSize(4);
        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(lines().stream().filter(line -> line.contains("missing")))
                .containsExactly("... reports are missing here");
        assertThat(outcomeOfLog()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void eachProcessThatSharesABufferCounts() throws IOException, InterruptedException {
        server = builder(RecordSize.BYTES_112).maxBuffers(3).start();
        try (RawClient client = client()) {
            client.send(
                    Request.allocation(1, 0, BufferType.L1, 64, 64),
                    Request.allocation(1, 0, BufferType.L1, 128, 64),
                    Request.allocation(2, 0, BufferType.L1, 64, 64));
            client.query(0);
            assertThat(losses()).isEmpty();

            client.send(Request.allocation(1, 0, BufferType.L1, 64, 64)).query(0);
            assertThat(losses()).isEmpty();

            client.send(Request.allocation(3, 0, BufferType.L1, 64, 64)).query(0);
            assertThat(losses()).hasSize(1);
        }
    }

    @Test
    void aProcessThatHasNothingMakesRoomForAnother() throws IOException, InterruptedException {
        server = builder(RecordSize.BYTES_112).maxProcesses(2).start();
        try (RawClient client = client()) {
            client.send(
                    Request.allocation(1, 0, BufferType.L1, 64, 64), Request.allocation(2, 0, BufferType.L1, 128, 64));
            client.send(Request.allocation(3, 0, BufferType.L1, 192, 64)).query(0);
            assertThat(losses())
                    .containsExactly(
                            "2 processes that have something are the limit (--max-processes, maxProcesses), so more are rejected");

            client.send(Request.free(2, 0, 128), Request.allocation(3, 0, BufferType.L1, 256, 64));
            assertThat(client.query(0).l1()).isEqualTo(128);
            assertThat(losses()).hasSize(1);
        }
    }

    @Test
    void circularBuffersAndKernelsHaveALimitOfTheirOwn() throws IOException, InterruptedException {
        server = builder(RecordSize.BYTES_144).maxCircularBuffers(2).start();
        try (RawClient client = client()) {
            Request circular = new Request(MessageType.CB_ALLOC, 0, 64, 0, 7, 4096, 0);
            Request kernel = new Request(MessageType.KERNEL_LOAD, 0, 64, 0, 7, 4096, 0);
            client.send(circular, kernel, circular, kernel);
            assertThat(client.query(0).circularBuffers()).isEqualTo(64);
            client.send(new Request(MessageType.CB_FREE, 0, 64, 0, 7, 4096, 0), circular);
            assertThat(client.query(0).circularBuffers()).isEqualTo(64);
        }

        assertThat(losses()).hasSize(2).allMatch(why -> why.startsWith("2 circular buffers and kernels are the limit"));
    }

    @Test
    void aHistoryThatIsFullSaysSoAndTheServerGoesOn() throws IOException, InterruptedException {
        server = builder(RecordSize.BYTES_112).maxEvents(10).start();
        try (RawClient client = client()) {
            for (int id = 1; id <= 1000; id++) {
                client.send(Request.allocation(7, 0, BufferType.L1, id, 64));
                client.send(Request.free(7, 0, id));
            }
            client.send(Request.allocation(7, 0, BufferType.L1, 5, 64));
            assertThat(client.query(0).l1()).isEqualTo(64);
        }

        assertThat(server.tracker().history().events()).hasSize(11);
        assertThat(server.tracker().history().events().get(10)).isInstanceOf(HistoryEvent.ReportsLost.class);
        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(server.problems())
                .containsExactly(
                        "the history has 10 events, which is its limit (maxEvents): what is reported from now on is"
                                + " not in it");
    }

    @Test
    void keepsFewEventsOfMillionsOfRejectedMessagesAndCountsAll() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        int messages = 50_000;
        try (RawClient client = client()) {
            Request[] refused = new Request[messages];
            for (int message = 0; message < messages; message++) {
                refused[message] = Request.allocation(7, 100 + message, BufferType.L1, 64, 64);
            }
            client.send(refused).query(0);
        }

        assertThat(server.tracker().history().lostReports())
                .hasSizeLessThan(1100)
                .extracting(HistoryEvent.ReportsLost::count)
                .satisfies(counts -> assertThat(
                                counts.stream().mapToLong(count -> count).sum())
                        .isEqualTo(messages));
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
        assertThat(server.activeAllocations()).isEqualTo(1);
        server.checkProcesses();
        assertThat(server.activeAllocations()).isZero();
        assertThat(server.tracker().history().events()).isEmpty();
        assertThat(verdict().outcome()).isNotEqualTo(Outcome.LEAK_FREE);
        assertThat(outcomeOfLog()).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void ofTheProcessesOfOneConnectionTheFirstAreNamed() throws IOException {
        start(RecordSize.BYTES_112);
        try (RawClient client = client()) {
            for (int process = 1; process <= 1200; process++) {
                client.send(Request.allocation(process, 0, BufferType.L1, process, 64));
            }
            client.query(0);
        }

        assertThat(server.connections().get(0).processes()).hasSize(1000);
        assertThat(server.activeAllocations()).isEqualTo(1200);
    }

    @Test
    void aLimitIsOneOrMore() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().maxBuffers(0))
                .withMessage("Give a limit of one or more: 0 is less");
    }

    private Outcome outcomeOfLog() throws IOException, InterruptedException {
        server.awaitQuiet(LONG);
        AllocationLog read = AllocationLog.read(
                new ByteArrayInputStream(log.toString().getBytes(StandardCharsets.UTF_8)), "server.log");
        return LeakCheck.create().examine(read.history()).outcome();
    }
}
