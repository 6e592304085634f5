package dev.meshguard.benchmarks.pertest;

import com.sun.management.OperatingSystemMXBean;
import dev.meshguard.benchmarks.OtherJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Measures what an extension costs per test, over 10,000 trivial tests.
 *
 * <p>A fresh JVM for each contender and round, in turn; the first launch is cold, as a build runs tests, the second is warm.
 * It measures the CPU time of the JVM, compiler and collector included, and the time by the clock, from the launch to its end.
 * It prints each measurement when it ends, and then the medians over the rounds; the argument is their number, 7 unless given.
 *
 * <pre>{@code java -cp benchmarks/target/benchmarks.jar dev.meshguard.benchmarks.pertest.PerTestCost 5}</pre>
 */
public final class PerTestCost {

    private static final int DEFAULT_ROUNDS = 7;
    private static final String IN_THIS_JVM = "--in-this-jvm";

    /** The compared extensions; the first is none. */
    private static final List<Class<?>> CONTENDERS = List.of(
            TrivialTests.Bare.class,
            TrivialTests.MockitoWithMock.class,
            TrivialTests.MeshGuardWithMesh.class,
            TrivialTests.MeshGuardWithTensor.class);

    /** The costs of a test in two launches of one JVM, in microseconds. */
    private static final List<String> COSTS = List.of("cold, CPU", "cold, clock", "warm, CPU", "warm, clock");

    private PerTestCost() {}

    /** Measures contenders in JVMs of their own, and prints the medians. */
    public static void main(String... arguments) throws IOException, InterruptedException {
        if (arguments.length == 2 && arguments[0].equals(IN_THIS_JVM)) {
            Class<?> contender = CONTENDERS.get(Integer.parseInt(arguments[1]));
            System.out.println(launch(contender) + " " + launch(contender));
            return;
        }
        int rounds = arguments.length == 0 ? DEFAULT_ROUNDS : Integer.parseInt(arguments[0]);
        List<List<double[]>> measured = CONTENDERS.stream()
                .map(contender -> (List<double[]>) new ArrayList<double[]>())
                .toList();
        for (int round = 1; round <= rounds; round++) {
            for (int contender = 0; contender < CONTENDERS.size(); contender++) {
                double[] costs = inOtherJvm(contender);
                measured.get(contender).add(costs);
                System.err.println("round " + round + " of " + rounds + ": "
                        + CONTENDERS.get(contender).getSimpleName() + " " + Arrays.toString(costs));
            }
        }
        print(measured);
    }

    private static void print(List<List<double[]>> measured) {
        System.out.println("| µs per test | " + String.join(" | over bare | ", COSTS) + " | over bare |");
        System.out.println("| --- " + "| --- | --- ".repeat(COSTS.size()) + "|");
        for (int contender = 0; contender < CONTENDERS.size(); contender++) {
            System.out.print("| " + CONTENDERS.get(contender).getSimpleName());
            for (int cost = 0; cost < COSTS.size(); cost++) {
                double median = median(measured.get(contender), cost);
                System.out.printf(Locale.ROOT, " | %.1f | %.1f", median, median - median(measured.get(0), cost));
            }
            System.out.println(" |");
        }
    }

    private static double median(List<double[]> launches, int cost) {
        double[] sorted =
                launches.stream().mapToDouble(launch -> launch[cost]).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static double[] inOtherJvm(int contender) throws IOException, InterruptedException {
        String output = OtherJvm.run(PerTestCost.class, List.of("-Xmx512m"), IN_THIS_JVM, contender);
        // The summary of the run stands before the answer.
        String answer = output.strip().lines().reduce("", (earlier, last) -> last);
        return Arrays.stream(answer.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    /** Returns the CPU time and the time by the clock for each test. */
    private static String launch(Class<?> tests) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long startedAt = System.nanoTime();
        long before = system.getProcessCpuTime();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(tests))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        try (LauncherSession session = LauncherFactory.openSession()) {
            session.getLauncher().execute(request, summary);
        }
        long cpuNanos = system.getProcessCpuTime() - before;
        long clockNanos = System.nanoTime() - startedAt;
        if (summary.getSummary().getTestsSucceededCount() != TrivialTests.TESTS) {
            summary.getSummary().printFailuresTo(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
            throw new IllegalStateException("Not all tests of " + tests + " passed");
        }
        return cpuNanos / 1_000.0 / TrivialTests.TESTS + " " + clockNanos / 1_000.0 / TrivialTests.TESTS;
    }
}
