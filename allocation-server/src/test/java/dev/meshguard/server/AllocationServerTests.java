package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The tracker of a server receives what programs send. */
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
    void theTrackerReceivesEachReportWithTheTypeOfItsAddress() throws IOException {
        start(RecordSize.BYTES_112);
        Random random = new Random(SEED);
        List<String> expected = new ArrayList<>();
        try (RawClient client = client()) {
            // So the type of each free of nothing is known.
            for (long page = 1; page <= 8; page++) {
                client.send(Request.allocation(1, 0, typeOf(page), 4096 * page, 64));
                expected.add("1 allocated " + typeOf(page) + " " + 4096 * page + " on 0, 64");
            }
            for (int round = 0; round < 200; round++) {
                Request[] requests = new Request[20];
                for (int i = 0; i < requests.length; i++) {
                    int device = random.nextInt(8);
                    int process = 1 + random.nextInt(3);
                    long page = 1L + random.nextInt(8);
                    long id = 4096 * page;
                    long size = 64L << random.nextInt(20);
                    if (random.nextInt(100) < 52) {
                        requests[i] = Request.allocation(process, device, typeOf(page), id, size);
                        expected.add(process + " allocated " + typeOf(page) + " " + id + " on " + device + ", " + size);
                    } else {
                        requests[i] = Request.free(process, device, id);
                        expected.add(process + " freed " + typeOf(page) + " " + id + " on " + device);
                    }
                }
                client.send(requests);
            }
            client.query(0);
        }

        AllocationHistory received = server.tracker().history();
        assertThat(received.lostReports()).as("seed %d", SEED).isEmpty();
        assertThat(reports(received)).as("seed %d", SEED).isEqualTo(expected);
    }

    private static BufferType typeOf(long page) {
        return BufferType.values()[(int) (page % 5)];
    }

    private static List<String> reports(AllocationHistory history) {
        List<String> reports = new ArrayList<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.Allocated one) {
                reports.add(processOf(one) + " allocated " + one.type() + " " + one.address() + " on " + one.device()
                        + ", " + one.size());
            } else if (event instanceof HistoryEvent.Freed one) {
                reports.add(processOf(one) + " freed " + one.type() + " " + one.address() + " on " + one.device());
            }
        }
        return reports;
    }

    private static long processOf(HistoryEvent.OfRequest report) {
        return report.request().details().processId().orElseThrow();
    }
}
