package dev.meshguard.benchmarks.pertest;

import com.sun.management.OperatingSystemMXBean;
import dev.meshguard.benchmarks.OtherJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
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

    /** The compared extensions. */
    private enum Contender {
        BARE(TrivialTests.Bare.class),
        MOCKITO_WITH_MOCK(TrivialTests.MockitoWithMock.class),
        MESHGUARD_WITH_MESH(TrivialTests.MeshGuardWithMesh.class),
        MESHGUARD_WITH_TENSOR(TrivialTests.MeshGuardWithTensor.class);

        private final Class<?> tests;

        Contender(Class<?> tests) {
            this.tests = tests;
        }
    }

    /**
     * The cost of one launch for each test.
     *
     * @param cpu microseconds of CPU time
     * @param clock microseconds by the clock
     */
    private record Cost(double cpu, double clock) {}

    private record Launches(Cost cold, Cost warm) {}

    private final int rounds;
    private final Map<Contender, List<Launches>> launches = new EnumMap<>(Contender.class);

    private PerTestCost(int rounds) {
        this.rounds = rounds;
        EnumSet.allOf(Contender.class).forEach(contender -> launches.put(contender, new ArrayList<>()));
    }

    /** Measures contenders in JVMs of their own, and prints the medians. */
    public static void main(String... arguments) throws IOException, InterruptedException {
        if (arguments.length == 2 && arguments[0].equals(IN_THIS_JVM)) {
            Contender contender = Contender.valueOf(arguments[1]);
            Cost cold = launch(contender);
            Cost warm = launch(contender);
            System.out.printf(Locale.ROOT, "%f %f %f %f%n", cold.cpu, cold.clock, warm.cpu, warm.clock);
            return;
        }
        PerTestCost measurement =
                new PerTestCost(arguments.length == 0 ? DEFAULT_ROUNDS : Integer.parseInt(arguments[0]));
        measurement.measure();
        measurement.print();
    }

    private void measure() throws IOException, InterruptedException {
        for (int round = 1; round <= rounds; round++) {
            for (Map.Entry<Contender, List<Launches>> entry : launches.entrySet()) {
                Launches measured = inOtherJvm(entry.getKey());
                entry.getValue().add(measured);
                System.err.printf(
                        Locale.ROOT,
                        "round %d of %d: %s, CPU per test: cold %.0f µs, warm %.0f µs%n",
                        round,
                        rounds,
                        entry.getKey(),
                        measured.cold.cpu,
                        measured.warm.cpu);
            }
        }
    }

    private void print() {
        System.out.println("| µs per test | cold, CPU | over bare | cold, clock | over bare | warm, CPU | over bare"
                + " | warm, clock | over bare |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for (Contender contender : launches.keySet()) {
            System.out.println("| " + contender
                    + cells(contender, one -> one.cold.cpu)
                    + cells(contender, one -> one.cold.clock)
                    + cells(contender, one -> one.warm.cpu)
                    + cells(contender, one -> one.warm.clock)
                    + " |");
        }
    }

    private String cells(Contender contender, ToDoubleFunction<Launches> which) {
        double median = median(contender, which);
        return String.format(Locale.ROOT, " | %.1f | %.1f", median, median - median(Contender.BARE, which));
    }

    private double median(Contender contender, ToDoubleFunction<Launches> which) {
        double[] sorted = launches.getOrDefault(contender, List.of()).stream()
                .mapToDouble(which)
                .sorted()
                .toArray();
        return sorted[sorted.length / 2];
    }

    private static Launches inOtherJvm(Contender contender) throws IOException, InterruptedException {
        String output = OtherJvm.run(PerTestCost.class, List.of("-Xmx512m"), IN_THIS_JVM, contender);
        // The summary of the run stands before the answer.
        String answer = output.strip().lines().reduce("", (earlier, last) -> last);
        double[] micros = Arrays.stream(answer.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
        return new Launches(new Cost(micros[0], micros[1]), new Cost(micros[2], micros[3]));
    }

    private static Cost launch(Contender contender) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long startedAt = System.nanoTime();
        long before = system.getProcessCpuTime();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(contender.tests))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        try (LauncherSession session = LauncherFactory.openSession()) {
            session.getLauncher().execute(request, summary);
        }
        long cpuNanos = system.getProcessCpuTime() - before;
        long clockNanos = System.nanoTime() - startedAt;
        if (summary.getSummary().getTestsSucceededCount() != TrivialTests.TESTS) {
            summary.getSummary().printFailuresTo(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
            throw new IllegalStateException("Not all tests of " + contender + " passed");
        }
        return new Cost(cpuNanos / 1_000.0 / TrivialTests.TESTS, clockNanos / 1_000.0 / TrivialTests.TESTS);
    }
}
