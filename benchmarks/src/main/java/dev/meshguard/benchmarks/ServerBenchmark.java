package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.server.ServerContender;
import dev.meshguard.event.BufferType;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.server.protocol.Request;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures records over a socket, from the first write to the reply that all are entered.
 *
 * <p>A server's tracker grows with each report, so each iteration starts a new server, outside the measured time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(ServerBenchmark.RECORDS)
@Warmup(iterations = 15)
@Measurement(iterations = 20)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms512m", "-Xmx512m"})
@State(Scope.Thread)
public class ServerBenchmark {

    static final int RECORDS = 65_536;
    private static final int RECORD = RecordSize.BYTES_112.bytes();

    /** Who hears. */
    @Param
    public ServerContender contender = ServerContender.COUNTING;

    /** Records of one write. */
    @Param({"1", "64"})
    public int batch;

    private AutoCloseable server = () -> {};
    private Path folder = Path.of("/tmp");
    private ByteBuffer records = ByteBuffer.allocate(0);
    private ByteBuffer question = ByteBuffer.allocate(0);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(RECORD);

    @SuppressWarnings("NullAway.Init") // JMH calls the method that sets it before all others.
    private SocketChannel channel;

    /** Starts a server, connects, and has all records ready: 1,024 buffers are allocated at a time. */
    @Setup(Level.Iteration)
    public void start() throws IOException {
        folder = Files.createTempDirectory("server");
        server = contender.start(folder);
        int process = (int) ProcessHandle.current().pid();
        int live = 1024;
        records = ByteBuffer.allocateDirect(RECORDS * RECORD);
        for (int record = 0; record < RECORDS; record++) {
            int buffer = record / (2 * live) * live + record % live;
            long address = 4096L * (buffer + 1);
            boolean isAllocation = record / live % 2 == 0;
            Request request = isAllocation
                    ? Request.allocation(process, buffer % 8, BufferType.DRAM, address, 4096)
                    : Request.free(process, buffer % 8, address);
            records.put(request.toRecord(RecordSize.BYTES_112));
        }
        question = ByteBuffer.allocateDirect(RECORD);
        question.put(Request.query(0).toRecord(RecordSize.BYTES_112));
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(folder.resolve("s")));
    }

    /** Disconnects and stops the server. */
    @TearDown(Level.Iteration)
    public void stop() throws Exception {
        channel.close();
        server.close();
        Files.delete(folder);
    }

    /** One program. */
    @Benchmark
    public void oneProgram() throws IOException {
        int atOnce = batch * RECORD;
        for (int at = 0; at < RECORDS * RECORD; at += atOnce) {
            records.limit(at + atOnce).position(at);
            send(records);
        }
        send(question.rewind());
        answer.clear();
        while (answer.hasRemaining()) {
            channel.read(answer);
        }
    }

    private void send(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
