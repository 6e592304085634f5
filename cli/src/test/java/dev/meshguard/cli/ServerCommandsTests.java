package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.ConnectionSnapshot;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code meshguard serve} and {@code dump}, called like from a shell. */
class ServerCommandsTests {

    @TempDir
    Path folder;

    private final StringBuilder log = new StringBuilder();
    private AllocationServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void aServerServesUntilItIsStopped() throws Exception {
        Path socket = folder.resolve("s");
        Path file = folder.resolve("server.log");
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<Answer> serving = threads.submit(() -> Answer.to(
                    "serve",
                    "--socket",
                    socket.toString(),
                    "--record-size",
                    "144",
                    "--log",
                    file.toString(),
                    "--dead-check",
                    "0",
                    "--devices",
                    "2"));
            try (AllocationClient client = connected(socket, serving)) {
                client.allocated(0, BufferType.L1, 101_152, 4096);
                assertThat(client.query(0).l1()).isEqualTo(4096);
                client.freed(0, 101_152);
                client.query(0);
            }
            threads.shutdownNow();

            assertThat(serving.get(30, TimeUnit.SECONDS)).isEqualTo(new Answer(0, "", ""));
        } finally {
            threads.shutdownNow();
        }
        long process = ProcessHandle.current().pid();
        assertThat(Files.readString(file))
                .contains("✓ [PID " + process + "] Allocated 4096 bytes of L1 on device 0 (buffer_id=0x18b20)\n"
                        + "✗ [PID " + process + "] Freed buffer 0x18b20 on device 0 (4096 bytes, FINAL)\n");
        assertThat(socket).doesNotExist();
    }

    private static AllocationClient connected(Path socket, Future<Answer> serving) {
        return StartingServer.connect(socket, RecordSize.BYTES_144, () -> !serving.isDone());
    }

    @Test
    void aServerWhoseMainThreadFindsTheHeapFullEndsWith70() {
        OutputStream full = new OutputStream() {
            private boolean wasFull;

            @Override
            public void write(int one) {
                if (!wasFull) {
                    wasFull = true;
                    throw new OutOfMemoryError("injected");
                }
            }
        };
        ByteArrayOutputStream errors = new ByteArrayOutputStream();

        int status = MeshGuard.run(InputStream.nullInputStream(), full, errors, "serve", "--socket", socket());

        assertThat(status).isEqualTo(70);
        assertThat(errors.toString(StandardCharsets.UTF_8))
                .matches("meshguard: serve needs more heap than this JVM has \\([^)]*\\)\\. Run it with -Xmx.*\\R");
        assertThat(Path.of(socket())).doesNotExist();
    }

    @Test
    void aSocketInUseIsSaidInOneLine() throws IOException {
        start(RecordSize.BYTES_112);

        assertThat(Answer.to("serve", "--socket", socket(), "--record-size", "112"))
                .isEqualTo(new Answer(
                        64,
                        "",
                        "meshguard: Another allocation server listens at " + socket()
                                + ". Stop it, or choose another path.\n"));
    }

    @Test
    void aLogThatCannotBeOpenedIsStatus74() {
        assertThat(Answer.to("serve", "--socket", socket(), "--log", folder.toString()))
                .isEqualTo(new Answer(
                        74,
                        "",
                        "meshguard: " + folder
                                + " cannot be written: Is a directory. Give another path with --log.\n"));
        assertThat(Path.of(socket())).doesNotExist();
    }

    @Test
    void aDumpIsInTheLogWhenTheCommandReturns() throws IOException, InterruptedException {
        start(RecordSize.BYTES_112);
        report();

        assertThat(Answer.to("dump", "--socket", socket()))
                .isEqualTo(new Answer(
                        0, "The server at " + socket() + " has written the live buffers into its log.\n", ""));
        server.awaitQuiet(Duration.ofSeconds(30));
        assertThat(log.toString()).contains("Total tracked allocations: 2").endsWith("📋 DUMP_REMAINING complete.\n");
    }

    private void start(RecordSize size) throws IOException {
        server = AllocationServer.builder()
                .socket(Path.of(socket()))
                .recordSize(size)
                .log(log)
                .start();
    }

    private void report() throws IOException {
        try (AllocationClient client = AllocationClient.connect(
                server.socketPath(), server.recordSize().orElseThrow())) {
            client.allocated(3, BufferType.DRAM, 64, 1 << 20);
            client.allocated(3, BufferType.L1, 101_152, 4096);
            client.query(3);
        }
        assertThat(server.connections()).extracting(ConnectionSnapshot::reports).containsExactly(2L);
    }

    private String socket() {
        return folder.resolve("s").toString();
    }
}
