package dev.meshguard.benchmarks.pertest;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
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
 * The measure is the CPU time of the JVM, compiler and collector included, from the launch to its end. The median over the
 * rounds is printed.
 *
 * <pre>{@code java -cp benchmarks/target/benchmarks.jar dev.meshguard.benchmarks.pertest.PerTestCost}</pre>
 */
public final class PerTestCost {

    private static final int ROUNDS = 7;

    /** The compared extensions. */
    private enum Contender {
        BARE(TrivialTests.Bare.class),
        MOCKITO(TrivialTests.Mockito.class),
        MOCKITO_WITH_MOCK(TrivialTests.MockitoWithMock.class),
        MOCKITO_WITH_PARAMETER(TrivialTests.MockitoWithParameter.class),
        NETTY(TrivialTests.Netty.class, TrivialTests.SLOW_TESTS),
        NETTY_WITH_BUFFER(TrivialTests.NettyWithBuffer.class, TrivialTests.SLOW_TESTS),
        MESHGUARD(TrivialTests.MeshGuard.class),
        MESHGUARD_WITH_MESH(TrivialTests.MeshGuardWithMesh.class),
        MESHGUARD_WITH_FIELD(TrivialTests.MeshGuardWithField.class),
        MESHGUARD_WITH_TENSOR(TrivialTests.MeshGuardWithTensor.class);

        private final Class<?> tests;
        private final int count;

        Contender(Class<?> tests) {
            this(tests, TrivialTests.TESTS);
        }

        Contender(Class<?> tests, int count) {
            this.tests = tests;
            this.count = count;
        }
    }

    private record Launches(double coldMicros, double warmMicros) {}

    private PerTestCost() {}

    /** Measures all contenders, or, given the name of one, that one in this JVM. */
    public static void main(String... arguments) throws IOException, InterruptedException {
        if (arguments.length == 1) {
            Contender contender = Contender.valueOf(arguments[0]);
            double cold = launch(contender);
            double warm = launch(contender);
            System.out.printf(Locale.ROOT, "%f %f%n", cold, warm);
            return;
        }
        Map<Contender, List<Launches>> rounds = new EnumMap<>(Contender.class);
        for (int round = 0; round < ROUNDS; round++) {
            for (Contender contender : Contender.values()) {
                rounds.computeIfAbsent(contender, unused -> new ArrayList<>()).add(inOtherJvm(contender));
            }
        }
        print(rounds);
    }

    private static void print(Map<Contender, List<Launches>> rounds) {
        double bareCold = median(rounds, Contender.BARE, Launches::coldMicros);
        double bareWarm = median(rounds, Contender.BARE, Launches::warmMicros);
        System.out.println("| contender | cold, µs per test | over bare | warm, µs per test | over bare |");
        System.out.println("| --- | --- | --- | --- | --- |");
        for (Contender contender : Contender.values()) {
            double cold = median(rounds, contender, Launches::coldMicros);
            double warm = median(rounds, contender, Launches::warmMicros);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.1f | %.1f | %.1f | %.1f |%n",
                    contender,
                    cold,
                    cold - bareCold,
                    warm,
                    warm - bareWarm);
        }
    }

    private static double median(
            Map<Contender, List<Launches>> rounds, Contender contender, ToDoubleFunction<Launches> which) {
        double[] sorted = rounds.getOrDefault(contender, List.of()).stream()
                .mapToDouble(which)
                .sorted()
                .toArray();
        return sorted[sorted.length / 2];
    }

    private static Launches inOtherJvm(Contender contender) throws IOException, InterruptedException {
        Process other = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PerTestCost.class.getName(),
                        contender.name())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (other.waitFor() != 0) {
            throw new IllegalStateException(contender + " failed: " + output);
        }
        // The summary of the run stands before the answer.
        String answer = output.strip().lines().reduce("", (earlier, last) -> last);
        double[] micros = Arrays.stream(answer.split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
        return new Launches(micros[0], micros[1]);
    }

    /** Runs the tests and returns the CPU time per test, in microseconds. */
    private static double launch(Contender contender) {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long before = system.getProcessCpuTime();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(contender.tests))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        try (LauncherSession session = LauncherFactory.openSession()) {
            session.getLauncher().execute(request, summary);
        }
        long spent = system.getProcessCpuTime() - before;
        if (summary.getSummary().getTestsSucceededCount() != contender.count) {
            summary.getSummary().printFailuresTo(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
            throw new IllegalStateException("Not all tests of " + contender + " passed");
        }
        return spent / 1_000.0 / contender.count;
    }
}
