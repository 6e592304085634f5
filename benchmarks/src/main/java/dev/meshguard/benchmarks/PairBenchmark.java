package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.recorder.Contender;
import dev.meshguard.benchmarks.recorder.Recorder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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

/** Measures one allocation and one free without a stack, for contenders without a limit of operations. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(PairBenchmark.PAIRS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch", "--add-opens=java.base/java.nio=ALL-UNNAMED"})
public class PairBenchmark {

    /** Two threads that noted their place after every pair would disturb each other. */
    static final int PAIRS = 256;

    /** The state that all threads share. */
    @State(Scope.Benchmark)
    public static class Shared {

        /** What records. */
        @Param({"NOTHING", "MAP", "MESHGUARD", "NETTY", "ARROW"})
        public Contender contender = Contender.NOTHING;

        Recorder recorder = Contender.NOTHING.start();

        /** Starts from nothing. */
        @Setup
        public void start() {
            recorder = contender.start();
        }
    }

    /** A thread with its own device. */
    @State(Scope.Thread)
    public static class OwnDevice {

        /** Live buffers per device. */
        @Param({"1024", "131072"})
        public int live;

        private Window window = Window.NONE;

        /** Fills the window. */
        @Setup
        public void start(Shared shared, ThreadParams thread) {
            window = new Window(buffers -> shared.recorder.lane(thread.getThreadIndex(), buffers), live);
        }
    }

    /** One thread. */
    @Benchmark
    @Threads(1)
    public void oneThread(OwnDevice device) {
        device.window.pairs(PAIRS);
    }

    /** Two threads, each on a device of its own. */
    @Benchmark
    @Threads(2)
    public void twoThreads(OwnDevice device) {
        device.window.pairs(PAIRS);
    }
}
