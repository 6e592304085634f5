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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Measures a million pairs, or 32,768 with their stacks, on one tracker, which grows with each event.
 *
 * <p>Each iteration starts a new tracker, outside the measured time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 15)
@Measurement(iterations = 20)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch", "--add-opens=java.base/java.nio=ALL-UNNAMED"})
public class EventsBenchmark {

    private static final int PAIRS = 1 << 20;
    private static final int ORIGIN_PAIRS = 1 << 15;
    private static final int LIVE = 1_024;

    /** The state that all threads share. */
    @State(Scope.Benchmark)
    public static class WithoutOrigin {

        /** What records. */
        @Param({"MAP", "MESHGUARD"})
        public Contender contender = Contender.NOTHING;

        Recorder recorder = Contender.NOTHING.start();

        /** Starts from nothing. */
        @Setup(Level.Iteration)
        public void start() {
            recorder = contender.start();
        }
    }

    /** The state that all threads share. */
    @State(Scope.Benchmark)
    public static class WithOrigin {

        /** What records. */
        @Param({"STACK_ONLY", "MAP_WITH_STACK", "MESHGUARD_ORIGIN"})
        public Contender contender = Contender.NOTHING;

        Recorder recorder = Contender.NOTHING.start();

        /** Starts from nothing. */
        @Setup(Level.Iteration)
        public void start() {
            recorder = contender.start();
        }
    }

    /** A thread with its own device. */
    @State(Scope.Thread)
    public static class OwnDevice {

        private Window window = Window.NONE;

        /** Fills the window. */
        @Setup(Level.Iteration)
        public void start(WithoutOrigin shared, ThreadParams thread) {
            window = new Window(buffers -> shared.recorder.lane(thread.getThreadIndex(), buffers), LIVE);
        }

        private void pairs() {
            window.pairs(PAIRS);
        }
    }

    /** A thread with its own device. */
    @State(Scope.Thread)
    public static class OwnDeviceWithOrigin {

        private Window window = Window.NONE;
        private CallDepth bottom = new CallDepth(0);
        private final Runnable pairs = this::pairs;

        /** Fills the window. */
        @Setup(Level.Iteration)
        public void start(WithOrigin shared, ThreadParams thread) {
            window = new Window(buffers -> shared.recorder.lane(thread.getThreadIndex(), buffers), LIVE);
            bottom = new CallDepth(60 - Window.FRAMES);
        }

        private void pairs() {
            window.pairs(ORIGIN_PAIRS);
        }
    }

    /** One thread. */
    @Benchmark
    @Threads(1)
    @OperationsPerInvocation(PAIRS)
    public void oneThread(OwnDevice device) {
        device.pairs();
    }

    /** Two threads, each on a device of its own. */
    @Benchmark
    @Threads(2)
    @OperationsPerInvocation(PAIRS)
    public void twoThreads(OwnDevice device) {
        device.pairs();
    }

    /** One thread, at depth 60. */
    @Benchmark
    @Threads(1)
    @OperationsPerInvocation(ORIGIN_PAIRS)
    public void oneThreadWithOrigin(OwnDeviceWithOrigin device) {
        device.bottom.run(device.pairs);
    }

    /** Two threads, each on a device of its own, at depth 60. */
    @Benchmark
    @Threads(2)
    @OperationsPerInvocation(ORIGIN_PAIRS)
    public void twoThreadsWithOrigin(OwnDeviceWithOrigin device) {
        device.bottom.run(device.pairs);
    }
}
