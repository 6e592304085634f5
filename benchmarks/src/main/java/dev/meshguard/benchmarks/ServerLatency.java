package dev.meshguard.benchmarks;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.ProcessInspector.ProcessState;
import dev.meshguard.server.client.AllocationClient;
import dev.meshguard.server.protocol.RecordCodec;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Measures how long clients wait for a reply while a server searches for ended processes and cleans up after them, compared
 * with an idle server.
 *
 * <p>One program sends requests without a pause. Meanwhile the server detects the end of all processes with allocations.
 * Absolute times depend on other work of the machine; only the ratio is significant.
 */
public final class ServerLatency {

    private static final int ROUNDS = 5;
    private static final int IDLE_QUESTIONS = 20_000;
    private static final int MAX_QUESTIONS = 2_000_000;

    private enum Dead {
        EVER_NEW_PROCESSES(20_000, 1, false),
        ONE_PROCESS_WITH_MANY_BUFFERS(1, 1_000_000, false),
        PROCESSES_THAT_SHARE_THEIR_BUFFERS(64, 20_000, true);

        private final int processes;
        private final int buffers;
        private final boolean isShared;

        Dead(int processes, int buffers, boolean isShared) {
            this.processes = processes;
            this.buffers = buffers;
            this.isShared = isShared;
        }
    }

    private ServerLatency() {}

    /** Prints a table of medians of several rounds. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        System.out.printf(
                Locale.ROOT,
                "%-36s%6s%14s%14s%14s%14s%8s%12s%n",
                "dead",
                "log",
                "clean, ms",
                "idle p99, us",
                "p99, us",
                "max, us",
                "p99",
                "max/max");
        for (Dead dead : Dead.values()) {
            for (boolean withLog : new boolean[] {false, true}) {
                double[][] rounds = new double[ROUNDS][];
                for (int round = 0; round < ROUNDS; round++) {
                    rounds[round] = measure(dead, withLog);
                }
                double[] median = medians(rounds);
                System.out.printf(
                        Locale.ROOT,
                        "%-36s%6s%14.1f%14.1f%14.1f%14.1f%7.1fx%11.1fx%n",
                        dead,
                        withLog ? "yes" : "no",
                        median[0],
                        median[1],
                        median[2],
                        median[3],
                        median[4],
                        median[5]);
            }
        }
    }

    private static double[] measure(Dead dead, boolean withLog) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("server");
        AtomicBoolean areDead = new AtomicBoolean();
        Optional<ProcessState> alive = Optional.of(ProcessState.running(Instant.EPOCH));
        AllocationServer.Builder builder = AllocationServer.builder()
                .socket(folder.resolve("s"))
                .recordSize(RecordSize.BYTES_112)
                .processCheckEvery(Duration.ZERO)
                .processInspector(process -> areDead.get() ? Optional.empty() : alive)
                .maxBuffers(Integer.MAX_VALUE)
                .maxProcesses(Integer.MAX_VALUE)
                .withoutHistory();
        if (withLog) {
            builder.log(folder.resolve("server.log"));
        }
        try (AllocationServer server = builder.start();
                AllocationClient other = AllocationClient.connect(server.socketPath(), RecordSize.BYTES_112)) {
            report(dead, server);
            server.awaitQuiet(Duration.ofMinutes(5));
            long[] idle = questions(other, IDLE_QUESTIONS, new AtomicBoolean());
            areDead.set(true);
            AtomicBoolean isClean = new AtomicBoolean();
            long[] took = new long[1];
            Thread check = new Thread(() -> {
                long start = System.nanoTime();
                server.checkProcesses();
                took[0] = System.nanoTime() - start;
                isClean.set(true);
            });
            check.start();
            long[] busy = questions(other, MAX_QUESTIONS, isClean);
            check.join();
            return new double[] {
                took[0] / 1e6,
                at99(idle) / 1e3,
                at99(busy) / 1e3,
                busy[busy.length - 1] / 1e3,
                at99(busy) / (double) at99(idle),
                busy[busy.length - 1] / (double) idle[idle.length - 1]
            };
        } finally {
            Files.deleteIfExists(folder.resolve("server.log"));
            Files.delete(folder);
        }
    }

    /** Returns how long the answers took, ascending. */
    private static long[] questions(AllocationClient client, int atMost, AtomicBoolean isOver) throws IOException {
        long[] times = new long[atMost];
        int asked = 0;
        do {
            long start = System.nanoTime();
            client.query(0);
            times[asked++] = System.nanoTime() - start;
        } while (asked < atMost && !isOver.get());
        long[] all = Arrays.copyOf(times, asked);
        Arrays.sort(all);
        return all;
    }

    private static long at99(long[] ascending) {
        return ascending[ascending.length * 99 / 100];
    }

    private static double[] medians(double[][] rounds) {
        double[] medians = new double[rounds[0].length];
        for (int column = 0; column < medians.length; column++) {
            int number = column;
            double[] values = Arrays.stream(rounds)
                    .mapToDouble(round -> round[number])
                    .sorted()
                    .toArray();
            medians[column] = values[values.length / 2];
        }
        return medians;
    }

    private static void report(Dead dead, AllocationServer server) throws IOException {
        RecordCodec codec = RecordCodec.of(RecordSize.BYTES_112);
        ByteBuffer records = ByteBuffer.allocateDirect(1000 * RecordSize.BYTES_112.bytes());
        try (SocketChannel program = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            program.connect(UnixDomainSocketAddress.of(server.socketPath()));
            for (int process = 1; process <= dead.processes; process++) {
                for (int buffer = 0; buffer < dead.buffers; buffer++) {
                    long address = dead.isShared ? buffer : (long) process * dead.buffers + buffer;
                    codec.encode(
                            Request.allocation(process, buffer % 8, BufferType.DRAM, 4096 * address, 4096), records);
                    if (!records.hasRemaining()) {
                        send(records, program);
                    }
                }
            }
            send(records, program);
        }
    }

    private static void send(ByteBuffer records, SocketChannel program) throws IOException {
        records.flip();
        while (records.hasRemaining()) {
            program.write(records);
        }
        records.clear();
    }
}
