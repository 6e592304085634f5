package dev.meshguard.verification.corpus.route;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.ParsedLog;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The ways of a history through a running allocation server. */
public final class Routes {

    /**
     * A history that was sent in records.
     *
     * @param received the history of the server
     * @param log what was read from its log
     */
    public record Records(AllocationHistory received, ParsedLog log) {}

    private Routes() {}

    /** Returns what a server receives if the events are sent as lines of JSON. */
    public static AllocationHistory lines(AllocationHistory history, Path folder)
            throws IOException, InterruptedException {
        return new LinesRoute().carry(history, folder);
    }

    /** Returns what a server receives if the allocations and frees are sent as records, and what its log has of it. */
    public static Records records(AllocationHistory history, Path folder) throws IOException, InterruptedException {
        RecordsRoute route = new RecordsRoute();
        AllocationHistory received = route.carry(history, folder);
        byte[] log = route.log().getBytes(StandardCharsets.UTF_8);
        return new Records(received, ParsedLog.read(new ByteArrayInputStream(log), "server.log"));
    }
}
