package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.recorder.Contender;
import dev.meshguard.benchmarks.recorder.Recorder;
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
 * Measures one mesh buffer on eight devices, allocated and freed with its stack; the cost of one device's pair of reports.
 *
 * <p>A tracker grows with each event, so each iteration starts a new contender, outside the measured time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(MeshBenchmark.REPORTS)
@Warmup(iterations = 15)
@Measurement(iterations = 20)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
@State(Scope.Thread)
public class MeshBenchmark {

    private static final int DEVICES = 8;
    private static final int BUFFERS = 1 << 13;
    private static final int LIVE = 1_024 / DEVICES;

    static final int REPORTS = BUFFERS * DEVICES;

    /** What records. */
    @Param({"MESHGUARD_ORIGIN", "NETTY_PARANOID"})
    public Contender contender = Contender.STACK_ONLY;

    /** Java frames down to the one that asks for the buffers. */
    @Param("60")
    public int depth;

    private Window window = Window.NONE;
    private CallDepth bottom = new CallDepth(0);
    private final Runnable buffers = this::buffers;

    /** Fills the window. */
    @Setup(Level.Iteration)
    public void start() {
        Recorder recorder = contender.start();
        window = new Window(addresses -> recorder.mesh(DEVICES, addresses), LIVE);
        bottom = new CallDepth(depth - Window.FRAMES);
    }

    /** Empties the window: a library's detector would report buffers that are dropped. */
    @TearDown(Level.Iteration)
    public void clear() {
        window.clear();
    }

    private void buffers() {
        window.pairs(BUFFERS);
    }

    /** One thread. */
    @Benchmark
    public void oneThread() {
        bottom.run(buffers);
    }
}
