package dev.meshguard.benchmarks;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.protocol.MessageType;
import dev.meshguard.server.protocol.RecordCodec;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * Measures the bytes of heap that a server keeps for the reports of programs, after full collections:
 * {@code ServerMemory [number [history]]}.
 *
 * <p>Everything is sent over a socket.
 */
public final class ServerMemory {

    private static final int BATCH = 1000;
    private static final int PROGRAMS = 8;

    @SuppressWarnings("ImmutableEnumChecker") // The functions keep nothing.
    private enum Kind {
        LIVE_BUFFERS(i -> Request.allocation(1 + (int) (i % PROGRAMS), (int) (i % 8), BufferType.DRAM, 4096 * i, 4096)),
        LIVE_BUFFERS_OF_TWO_PROCESSES(
                i -> Request.allocation(1 + (int) (i % 2), 0, BufferType.DRAM, 4096 * (i / 2), 4096)),
        BUFFERS_ALLOCATED_AND_FREED(
                i -> i % 2 == 0 ? Request.allocation(1, 0, BufferType.DRAM, 4096, 4096) : Request.free(1, 0, 4096)),
        PROCESSES_WITH_A_BUFFER(i -> Request.allocation((int) i + 1, 0, BufferType.DRAM, 4096 * i, 4096)),
        PROCESSES_WITHOUT_ANYTHING(i -> i % 2 == 0
                ? Request.allocation((int) (i / 2) + 1, 0, BufferType.DRAM, 4096, 4096)
                : Request.free((int) (i / 2) + 1, 0, 4096)),
        CIRCULAR_BUFFERS(i -> new Request(MessageType.CB_ALLOC, (int) (i % 8), 4096, 0, 1, 4096 * i, 0)),
        REFUSED_MESSAGES(i -> Request.allocation(1, 100 + (int) i, BufferType.DRAM, 4096, 4096));

        private final LongFunction<Request> message;

        Kind(LongFunction<Request> message) {
            this.message = message;
        }
    }

    private enum History {
        NONE,
        ALL
    }

    private ServerMemory() {}

    /** Prints a table; the number of messages of each kind may be given, and what history is kept. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        long number = arguments.length == 0 ? 1_000_000 : Long.parseLong(arguments[0]);
        List<History> histories =
                arguments.length < 2 ? List.of(History.values()) : List.of(History.valueOf(arguments[1]));
        System.out.printf(Locale.ROOT, "bytes for each of %,d messages%n%-32s", number, "");
        for (History history : histories) {
            System.out.printf(Locale.ROOT, "%18s", history);
        }
        System.out.println();
        for (Kind kind : Kind.values()) {
            System.out.printf(Locale.ROOT, "%-32s", kind);
            for (History history : histories) {
                System.out.printf(Locale.ROOT, "%18.1f", bytes(kind, history, number));
            }
            System.out.println();
        }
    }

    private static double bytes(Kind kind, History history, long number) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("server");
        long before = used();
        try (AllocationServer server = server(folder.resolve("s"), history)) {
            send(kind, number, server);
            server.awaitQuiet(Duration.ofMinutes(10));
            return (used() - before) / (double) number;
        } finally {
            Files.delete(folder);
        }
    }

    private static AllocationServer server(Path socket, History history) throws IOException {
        AllocationServer.Builder builder = AllocationServer.builder()
                .socket(socket)
                .recordSize(RecordSize.BYTES_144)
                .processCheckEvery(Duration.ZERO)
                .processInspector(process -> Optional.empty());
        if (history == History.NONE) {
            builder.withoutHistory();
        } else {
            builder.tracker(AllocationTracker.builder()
                    .originCapture(OriginCapture.NONE)
                    .bankedAddresses()
                    .build());
        }
        return builder.start();
    }

    private static void send(Kind kind, long number, AllocationServer server) throws IOException {
        RecordCodec codec = RecordCodec.of(RecordSize.BYTES_144);
        ByteBuffer records = ByteBuffer.allocateDirect(BATCH * RecordSize.BYTES_144.bytes());
        try (SocketChannel program = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            program.connect(UnixDomainSocketAddress.of(server.socketPath()));
            for (long sent = 0; sent < number; sent += BATCH) {
                records.clear();
                for (long i = sent; i < Math.min(number, sent + BATCH); i++) {
                    codec.encode(kind.message.apply(i), records);
                }
                records.flip();
                while (records.hasRemaining()) {
                    program.write(records);
                }
            }
        }
    }

    private static long used() throws InterruptedException {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        for (int collection = 0; collection < 4; collection++) {
            runtime.gc();
            Thread.sleep(50);
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }
}
