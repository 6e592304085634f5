package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code meshguard serve} and {@code dump}, called like from a shell. */
class ServerCommandsTests {

    @TempDir
    Path folder;

    private final StringBuilder log = new StringBuilder();
    private AllocationServer server;

    @BeforeEach
    void start() throws IOException {
        server = AllocationServer.builder()
                .socket(folder.resolve("s.sock"))
                .recordSize(RecordSize.BYTES_112)
                .log(log)
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aSocketInUseIsSaidInOneLine() {
        assertThat(Answer.in(folder, "serve --socket s.sock --record-size 112"))
                .isEqualTo(new Answer(
                        64,
                        "",
                        "meshguard: Another allocation server listens at s.sock. Stop it, or choose another path.\n"));
    }

    @Test
    void aDumpIsInTheLogWhenTheCommandReturns() throws IOException, InterruptedException {
        try (AllocationClient client = AllocationClient.connect(server.socketPath(), RecordSize.BYTES_112)) {
            client.allocated(3, BufferType.DRAM, 64, 1 << 20);
            client.allocated(3, BufferType.L1, 101_152, 4096);
            client.query(3);
        }

        assertThat(Answer.in(folder, "dump --socket s.sock"))
                .isEqualTo(new Answer(0, "The server at s.sock has written the live buffers into its log.\n", ""));
        server.awaitQuiet(Duration.ofSeconds(30));
        assertThat(log.toString()).contains("Total tracked allocations: 2").endsWith("📋 DUMP_REMAINING complete.\n");
    }
}
