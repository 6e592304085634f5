package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.closeables.MeasuredHandle;
import dev.meshguard.benchmarks.closeables.ObjectContender;
import dev.meshguard.benchmarks.closeables.TrackedTestThread;
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
 * Measures an object that is constructed and one that is closed, at an exact depth, in a test with {@code @TrackCloseables} and without.
 *
 * <p>A tracker grows with each event, so each iteration is another test, which begins and ends outside the measured time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(CloseablesBenchmark.PAIRS)
@Warmup(iterations = 15)
@Measurement(iterations = 20)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch", "-Dmeshguard.page=off"})
@State(Scope.Thread)
public class CloseablesBenchmark {

    static final int PAIRS = 1 << 15;

    private static final int LIVE = 1_024;

    /** What happens to the objects. */
    @Param
    public ObjectContender contender = ObjectContender.BARE;

    /** Java frames down to the one that constructs. */
    @Param({"60"})
    public int depth;

    private final MeasuredHandle[] open = new MeasuredHandle[LIVE];
    private final Runnable pairs = this::pairs;
    private CallDepth bottom = new CallDepth(0);
    private TrackedTestThread test = TrackedTestThread.none();

    /** Names the class of the objects, if a test is to have named it. */
    @Setup(Level.Trial)
    public void runBefore() {
        contender.runBefore();
    }

    /** Begins a test, if the objects are to be tracked. */
    @Setup(Level.Iteration)
    public void begin() {
        CpuTime.leaveOut(() -> test = contender.begin());
        bottom = new CallDepth(depth - 2);
        for (int i = 0; i < LIVE; i++) {
            open[i] = contender.construct();
        }
    }

    /** Closes what is open, and ends the test. */
    @TearDown(Level.Iteration)
    public void end() {
        for (MeasuredHandle handle : open) {
            handle.close();
        }
        CpuTime.leaveOut(test::close);
    }

    /** Constructs objects, and closes the oldest one after each. */
    @Benchmark
    public void oneThread() {
        bottom.run(pairs);
    }

    /** Does so again and again, near the bottom of the stack: what is idle takes a few nanoseconds. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @Warmup(iterations = 15, time = 100, timeUnit = TimeUnit.MILLISECONDS)
    @Measurement(iterations = 20, time = 100, timeUnit = TimeUnit.MILLISECONDS)
    public void flat() {
        pairs();
    }

    private void pairs() {
        for (int i = 0; i < PAIRS; i++) {
            int index = i & (LIVE - 1);
            MeasuredHandle oldest = open[index];
            open[index] = contender.construct();
            oldest.close();
        }
    }
}
