package dev.meshguard.server;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A server on a socket of its own, with a log and simulated processes. */
abstract class WithServer {

    static final Duration LONG = Duration.ofSeconds(30);
    static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    Path folder;

    /** Written by the server's thread, read when it is quiet. */
    @SuppressWarnings("JdkObsolete")
    final StringBuffer log = new StringBuffer();

    final Map<Long, Instant> processes = new ConcurrentHashMap<>();
    AllocationServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    void start(RecordSize size) throws IOException {
        server = builder(size).start();
    }

    AllocationServer.Builder builder(RecordSize size) {
        return builder().recordSize(size);
    }

    AllocationServer.Builder builder() {
        return AllocationServer.builder()
                .socket(folder.resolve("s"))
                .log(log)
                .processCheckEvery(Duration.ZERO)
                .clock(InstantSource.fixed(NOON))
                .processInspector(process -> Optional.ofNullable(processes.get(process)));
    }

    void runs(long process) {
        processes.put(process, NOON);
    }

    RawClient client() throws IOException {
        return new RawClient(server.socketPath(), server.recordSize().orElseThrow());
    }

    /** Returns the log so far without its first and last lines. */
    List<String> lines() throws InterruptedException {
        server.awaitQuiet(LONG);
        return log.toString()
                .lines()
                .dropWhile(line -> !line.contains("Listening on"))
                .skip(1)
                .toList();
    }

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
