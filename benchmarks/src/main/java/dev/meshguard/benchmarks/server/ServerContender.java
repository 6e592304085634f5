package dev.meshguard.benchmarks.server;

import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.RecordSize;
import java.io.IOException;
import java.nio.file.Path;

/** A measured server. */
public enum ServerContender {
    /** Counts. */
    COUNTING,
    /** The allocation server. */
    MESHGUARD,
    /** The allocation server with a log in a file. */
    MESHGUARD_WITH_LOG;

    /** Starts it at the socket {@code s} of a folder. */
    public AutoCloseable start(Path folder) throws IOException {
        Path socket = folder.resolve("s");
        AllocationServer.Builder builder =
                AllocationServer.builder().socket(socket).recordSize(RecordSize.BYTES_112);
        return switch (this) {
            case COUNTING -> new CountingServer(socket);
            case MESHGUARD -> builder.start();
            case MESHGUARD_WITH_LOG -> builder.log(folder.resolve("server.log")).start();
        };
    }
}
