package dev.meshguard.verification.forks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.samples.support.Fixture;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * A separate JVM that runs classes of fixtures one after the other, like a build tool's fork; prints how many tests of each succeed and
 * fail.
 *
 * @param process the running JVM, whose errors are part of its output
 */
record ForkedRun(Process process) {

    /**
     * Starts one.
     *
     * @param absent the entries that its class path lacks
     * @param options the options of the JVM
     */
    static ForkedRun of(Predicate<Path> absent, List<String> options, Class<?>... fixtures) throws IOException {
        return java(absent, options, Stream.concat(Stream.of(ForkedRun.class), Stream.of(fixtures)));
    }

    /** Starts a JVM with the name of a main class, followed by those that are its arguments. */
    static ForkedRun java(Predicate<Path> absent, List<String> options, Stream<Class<?>> classes) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-D" + Fixture.ENABLED + "=true",
                "-cp",
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                        .filter(entry -> !absent.test(Path.of(entry)))
                        .collect(Collectors.joining(File.pathSeparator))));
        command.addAll(options);
        classes.map(Class::getName).forEach(command::add);
        return new ForkedRun(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** Returns what it printed when it has ended. */
    String output(int exitCode) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(exitCode);
        return output;
    }

    public static void main(String[] fixtures) {
        for (String fixture : fixtures) {
            SummaryGeneratingListener summary = new SummaryGeneratingListener();
            LauncherFactory.create()
                    .execute(
                            LauncherDiscoveryRequestBuilder.request()
                                    .selectors(DiscoverySelectors.selectClass(fixture))
                                    .build(),
                            summary);
            System.out.println(summary.getSummary().getTestsSucceededCount() + " succeeded, "
                    + summary.getSummary().getTestsFailedCount() + " failed");
        }
    }
}
