package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.ProcessInspector.ProcessState;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server checks each of many processes once, and logs a dump where a program asked for it. */
@Timeout(120)
class ManyProcessesTests extends WithServer {

    private static final int MANY = 2000;

    @Test
    void eachProcessIsLookedForOnceWhenItReportsAndOnceInEachCheck() throws IOException, InterruptedException {
        AtomicInteger looks = new AtomicInteger();
        server = builder(RecordSize.BYTES_112)
                .processInspector(process -> {
                    looks.incrementAndGet();
                    return process % 2 == 0 ? Optional.of(ProcessState.running(NOON)) : Optional.empty();
                })
                .start();
        try (RawClient client = client()) {
            client.send(ofManyProcesses()).query(0);
        }
        assertThat(looks).hasValue(MANY);

        server.checkProcesses();
        assertThat(looks).hasValue(2 * MANY);
        assertThat(server.activeAllocations()).isEqualTo(MANY / 2);

        server.checkProcesses();
        assertThat(looks).hasValue(2 * MANY + MANY / 2);
    }

    @Test
    void whatAProgramSendsAfterItAskedForADumpIsEnteredAfterIt() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        runs(7);
        try (RawClient client = client()) {
            client.send(
                    Request.allocation(7, 0, BufferType.L1, 64, 64),
                    Request.of(MessageType.DUMP_REMAINING),
                    Request.free(7, 0, 64),
                    Request.of(MessageType.DUMP_REMAINING),
                    Request.allocation(7, 0, BufferType.L1, 128, 64));
            assertThat(client.query(0).l1()).isEqualTo(64);
        }

        assertThat(lines().stream().filter(line -> line.startsWith("Total tracked allocations")))
                .containsExactly("Total tracked allocations: 1", "Total tracked allocations: 0");
    }

    @Test
    void aDumpThatWaitsWhenTheServerIsClosedIsMade() throws IOException {
        start(RecordSize.BYTES_112);
        try (RawClient client = client()) {
            client.send(ofManyProcesses());
            client.send(Request.of(MessageType.DUMP_REMAINING), Request.allocation(7, 0, BufferType.L1, 64, 64));
            server.close();
        }

        assertThat(log.toString()).contains("DUMP_REMAINING complete.").contains("Active allocations: 1\n");
    }

    private static Request[] ofManyProcesses() {
        Request[] requests = new Request[MANY];
        for (int process = 1; process <= MANY; process++) {
            requests[process - 1] = Request.allocation(process, 0, BufferType.L1, process, 64);
        }
        return requests;
    }
}
