package dev.meshguard.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Adds the CPU time of the whole JVM per operation, the collector's share included.
 *
 * <p>Unlike wall-clock time, it excludes the time of other processes of the machine. Use it with
 * {@code -prof dev.meshguard.benchmarks.CpuTime}.
 */
public final class CpuTime implements InternalProfiler {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private static final AtomicLong LEFT_OUT = new AtomicLong();

    private long before;

    /** Runs code before or after what is measured, whose CPU time does not count. JMH asks profilers around both. */
    public static void leaveOut(Runnable code) {
        long begun = SYSTEM.getProcessCpuTime();
        code.run();
        LEFT_OUT.addAndGet(SYSTEM.getProcessCpuTime() - begun);
    }

    @Override
    public String getDescription() {
        return "CPU time of the JVM per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        LEFT_OUT.set(0);
        before = SYSTEM.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long spent = SYSTEM.getProcessCpuTime() - before - LEFT_OUT.get();
        double perOperation = (double) spent / result.getMetadata().getAllOps();
        return List.of(new ScalarResult("cpu", perOperation, "ns/op", AggregationPolicy.AVG));
    }
}
