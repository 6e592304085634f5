package dev.meshguard.server;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A server on a socket of its own, with simulated processes. */
abstract class WithServer {

    static final Duration LONG = Duration.ofSeconds(30);
    static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    Path folder;

    final Map<Long, Instant> processes = new ConcurrentHashMap<>();
    RecordSize size = RecordSize.BYTES_112;
    AllocationServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    void start(RecordSize newSize) throws IOException {
        server = builder(newSize).start();
    }

    AllocationServer.Builder builder(RecordSize newSize) {
        size = newSize;
        return builder().recordSize(size);
    }

    AllocationServer.Builder builder() {
        return AllocationServer.builder()
                .socket(folder.resolve("s"))
                .processInspector(process -> Optional.ofNullable(processes.get(process)));
    }

    void runs(long process) {
        processes.put(process, NOON);
    }

    // Programs

    RawClient client() throws IOException {
        return client(size);
    }

    RawClient client(RecordSize own) throws IOException {
        return new RawClient(server.socketPath(), own);
    }

    /** Sends requests over a connection of their own; returns the usage of device 0 after them. */
    RawClient.MemoryUsage report(Request... requests) throws IOException {
        try (RawClient client = client()) {
            return client.send(requests).query(0);
        }
    }

    static Request allocation(int process, long address) {
        return Request.allocation(process, 0, BufferType.L1, address, 64);
    }

    static Request free(int process, long address) {
        return Request.free(process, 0, address);
    }

    // What the server has recorded

    LeakVerdict verdict() throws InterruptedException {
        server.awaitQuiet(LONG);
        return LeakCheck.create().examine(server.tracker().history());
    }

    List<String> losses() throws InterruptedException {
        server.awaitQuiet(LONG);
        return server.tracker().history().lostReports().stream()
                .map(HistoryEvent.ReportsLost::reason)
                .toList();
    }
}
