package dev.meshguard.verification.forks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A separate JVM that runs one class of fixtures, like a build tool's fork; prints the number of failed tests. */
final class ForkedRun {

    private ForkedRun() {}

    /**
     * Starts it.
     *
     * @param classPath its class path
     * @param properties its system properties
     * @param log where its classes are listed as they are loaded
     */
    static Process start(Class<?> fixture, String classPath, Map<String, String> properties, Path log)
            throws IOException {
        return of(fixture, classPath, properties, log)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /**
     * Describes it.
     *
     * @param classPath its class path
     * @param properties its system properties
     * @param log where its classes are listed as they are loaded
     */
    static ProcessBuilder of(Class<?> fixture, String classPath, Map<String, String> properties, Path log) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xlog:class+load:file=" + log,
                "-cp",
                classPath));
        properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.add(ForkedRun.class.getName());
        command.add(fixture.getName());
        return new ProcessBuilder(command);
    }

    public static void main(String[] arguments) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(arguments[0]))
                                .build(),
                        summary);
        System.out.println(summary.getSummary().getTestsSucceededCount() + " succeeded, "
                + summary.getSummary().getTestsFailedCount() + " failed");
    }
}
