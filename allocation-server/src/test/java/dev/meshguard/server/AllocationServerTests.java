package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.ParsedLog;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The server records, logs and answers messages by the rules of the server for which a program was written. */
class AllocationServerTests extends WithServer {

    private static final long SEED = Long.getLong("meshguard.seed", 20_260_301);

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

        ParsedLog read = readLog();

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
