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
    MESHGUARD;

    /** Starts it at the socket {@code s} of a folder. */
    public AutoCloseable start(Path folder) throws IOException {
        Path socket = folder.resolve("s");
        return this == COUNTING
                ? new CountingServer(socket)
                : AllocationServer.builder()
                        .socket(socket)
                        .recordSize(RecordSize.BYTES_112)
                        .start();
    }
}
