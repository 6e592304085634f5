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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Measures one allocation with its stack and one free, at an exact depth.
 *
 * <p>A tracker grows with each event, so each iteration starts a new contender, outside the measured time, and makes a fixed
 * number of pairs.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(OriginBenchmark.PAIRS)
@Warmup(iterations = 15)
@Measurement(iterations = 20)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch", "--add-opens=java.base/java.nio=ALL-UNNAMED"})
public class OriginBenchmark {

    static final int PAIRS = 1 << 15;

    private static final int LIVE = 1_024;

    /** The state that all threads share. */
    @State(Scope.Benchmark)
    public static class Shared {

        /** What records. */
        @Param({"STACK_ONLY", "MESHGUARD_ORIGIN", "NETTY_PARANOID", "ARROW_DEBUG"})
        public Contender contender = Contender.STACK_ONLY;

        Recorder recorder = Contender.STACK_ONLY.start();

        /** Starts from nothing. */
        @Setup(Level.Iteration)
        public void start() {
            recorder = contender.start();
        }
    }

    /** A thread with its own device. */
    @State(Scope.Thread)
    public static class OwnDevice {

        /** Java frames down to the one that asks for the buffer. */
        @Param("60")
        public int depth;

        private Window window = Window.NONE;
        private CallDepth bottom = new CallDepth(0);
        private final Runnable pairs = this::pairs;

        /** Fills the window. */
        @Setup(Level.Iteration)
        public void start(Shared shared, ThreadParams thread) {
            window = new Window(buffers -> shared.recorder.lane(thread.getThreadIndex(), buffers), LIVE);
            bottom = new CallDepth(depth - Window.FRAMES);
        }

        /** Empties the window: a library's detector would report buffers that are dropped. */
        @TearDown(Level.Iteration)
        public void clear() {
            window.clear();
        }

        private void pairs() {
            window.pairs(PAIRS);
        }
    }

    /** One thread. */
    @Benchmark
    @Threads(1)
    public void oneThread(OwnDevice device) {
        device.bottom.run(device.pairs);
    }

    /** Two threads, each on a device of its own. */
    @Benchmark
    @Threads(2)
    public void twoThreads(OwnDevice device) {
        device.bottom.run(device.pairs);
    }
}
