package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A server that another thread or process starts: no event shows that it listens, so a client retries until it answers.
 */
final class StartingServer {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private StartingServer() {}

    /**
     * Connects to the server.
     *
     * @param isRunning whether the thread or process that starts the server still runs
     */
    static AllocationClient connect(Path socket, RecordSize recordSize, BooleanSupplier isRunning) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            AllocationClient client = AllocationClient.builder()
                    .socket(socket)
                    .recordSize(recordSize)
                    .onWarning(warning -> {})
                    .connect();
            if (client.isConnected()) {
                return client;
            }
            client.close();
            assertThat(isRunning.getAsBoolean()).as("the server runs").isTrue();
            assertThat(System.nanoTime() - end)
                    .as("nanoseconds beyond %s in which no server listened at %s", LIMIT, socket)
                    .isNegative();
            Thread.onSpinWait();
        }
    }
}
