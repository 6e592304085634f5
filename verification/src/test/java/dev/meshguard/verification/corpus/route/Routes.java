package dev.meshguard.verification.corpus.route;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.AllocationLogReader;
import dev.meshguard.server.log.ParsedLog;
import dev.meshguard.verification.corpus.writing.ServerLogWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The ways of a history through an allocation server. */
public final class Routes {

    private Routes() {}

    /** Returns what a server receives if the events are sent as lines of JSON. */
    public static AllocationHistory lines(AllocationHistory history, Path folder)
            throws IOException, InterruptedException {
        return new LinesRoute().carry(history, folder);
    }

    /** Returns what a server receives if the allocations and frees are sent as records. */
    public static AllocationHistory records(AllocationHistory history, Path folder)
            throws IOException, InterruptedException {
        return new RecordsRoute().carry(history, folder);
    }

    /** Returns the log that tt-metal's server writes of the allocations and frees. */
    public static String log(AllocationHistory history, ServerLogWriter.Generation generation) {
        return ServerLogWriter.logOf(history, generation, SocketRoute.ONLY_PROCESS);
    }

    /** Returns what is read from a log. */
    public static ParsedLog read(String log) throws IOException {
        return AllocationLogReader.create()
                .read(new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)), "server.log");
    }
}
