package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.freelist.FreeListContender;
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
import org.openjdk.jmh.annotations.Warmup;

/** Measures one free and one allocation of a random size in a list with many live blocks. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(FreeListBenchmark.PAIRS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch"})
@State(Scope.Thread)
public class FreeListBenchmark {

    static final int PAIRS = 256;

    private static final int COMPARED = 10_000;

    /** Which list. */
    @Param
    public FreeListContender contender = FreeListContender.TREE_MAP;

    /** Live blocks. */
    @Param({"100", "10000", "100000"})
    public int live;

    private Churn churn = new Churn(FreeListContender.TREE_MAP.of(Churn.room(1)), 1);

    /** Fills the list, and looks that both give the same addresses. */
    @Setup
    public void start() {
        long meshGuard = started(FreeListContender.MESHGUARD).pairs(COMPARED);
        if (started(FreeListContender.TREE_MAP).pairs(COMPARED) != meshGuard) {
            throw new IllegalStateException("The two lists do not give the same addresses");
        }
        churn = started(contender);
        churn.pairs(live);
    }

    private Churn started(FreeListContender list) {
        return new Churn(list.of(Churn.room(live)), live);
    }

    /** One thread. */
    @Benchmark
    public long oneThread() {
        return churn.pairs(PAIRS);
    }
}
