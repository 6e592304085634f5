package dev.meshguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.server.protocol.MemoryUsage;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.history.HistoryEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program says is entered, logged and answered by the rules of the server that it was written for. */
class AllocationServerTests {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    Path folder;

    private final StringBuffer log = new StringBuffer();
    private AllocationServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

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
                   Press Ctrl+C to stop
                ✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)
                ✓ [PID 7] Allocated 2048 bytes of L1 on device 0 (buffer_id=101152, ref_count=2)
                ✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, ref_count=1 remaining)
                ✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)
                ⚠ [PID 7] Deallocation for unknown buffer 101152 on device 0 (allocated before tracking started)

                📊 Current Statistics:
                  Active allocations: 0
                🔄 Background cleanup thread stopped

                🛑 Allocation Server stopped
                """, server.socketPath()));
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

    private void start(RecordSize size) throws IOException {
        server = builder(size).start();
    }

    /** No process that a test names is there, so nobody looks for it unless a test says so. */
    private AllocationServer.Builder builder(RecordSize size) {
        return AllocationServer.builder()
                .socket(folder.resolve("s"))
                .recordSize(size)
                .log(log)
                .processCheckEvery(Duration.ZERO)
                .statisticsEvery(Duration.ZERO)
                .clock(InstantSource.fixed(NOON));
    }

    private RawClient client() throws IOException {
        return new RawClient(server.socketPath(), server.recordSize().orElseThrow());
    }
}
