package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.recorder.Contender;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures one allocation and one free without a stack.
 *
 * <p>A tracker grows with each event, so each iteration starts a new contender, outside the measured time, and makes a fixed
 * number of pairs.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(PairBenchmark.PAIRS)
@Warmup(iterations = 15)
@Measurement(iterations = 20)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"})
@State(Scope.Thread)
public class PairBenchmark {

    static final int PAIRS = 1 << 18;

    /** What records. */
    @Param({"MAP", "MESHGUARD"})
    public Contender contender = Contender.STACK_ONLY;

    /** Live buffers. */
    @Param("1024")
    public int live;

    private Window window = Window.NONE;

    /** Starts from nothing and fills the window. */
    @Setup(Level.Iteration)
    public void start() {
        window = new Window(buffers -> contender.start().lane(0, buffers), live);
    }

    /** One thread. */
    @Benchmark
    public void oneThread() {
        window.pairs(PAIRS);
    }
}
