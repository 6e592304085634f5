package dev.meshguard.benchmarks.server;

import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.RecordSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A measured server. */
public enum ServerContender {
    /** Counts. */
    COUNTING {
        @Override
        public AutoCloseable start(Path folder) throws IOException {
            return new BlockingServer(socket(folder), BlockingServer.counting());
        }
    },
    /** Does tt-metal's bookkeeping, in a map under a lock. */
    BLOCKING_BOOKS {
        @Override
        public AutoCloseable start(Path folder) throws IOException {
            return new BlockingServer(socket(folder), BlockingServer.entering());
        }
    },
    /** Works as tt-metal's server does: one read for each record, one lock for all, and no log. */
    FIELD {
        @Override
        public AutoCloseable start(Path folder) throws IOException {
            return new TtMetalServer(socket(folder), null);
        }
    },
    /** The same with a line of its log for each record, which goes to the file at once. */
    FIELD_WITH_LOG {
        @Override
        public AutoCloseable start(Path folder) throws IOException {
            return new TtMetalServer(socket(folder), Files.newOutputStream(folder.resolve("server.log")));
        }
    },
    /** The allocation server. */
    MESHGUARD {
        @Override
        public AutoCloseable start(Path folder) throws IOException {
            return meshguard(folder).start();
        }
    },
    /** The allocation server with a log in a file. */
    MESHGUARD_WITH_LOG {
        @Override
        public AutoCloseable start(Path folder) throws IOException {
            return meshguard(folder).log(folder.resolve("server.log")).start();
        }
    };

    /** Starts it at the socket {@code s} of a folder. */
    public abstract AutoCloseable start(Path folder) throws IOException;

    private static Path socket(Path folder) {
        return folder.resolve("s");
    }

    private static AllocationServer.Builder meshguard(Path folder) {
        return AllocationServer.builder().socket(socket(folder)).recordSize(RecordSize.BYTES_112);
    }
}
