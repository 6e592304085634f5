package dev.meshguard.closeables;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** The failures of test classes that run within a test. */
final class TrackedRun {

    private final EngineExecutionResults results;

    private TrackedRun(EngineExecutionResults results) {
        this.results = results;
    }

    static TrackedRun of(Class<?>... tests) {
        return new TrackedRun(engine(tests).execute());
    }

    static TrackedRun concurrently(Class<?>... tests) {
        return new TrackedRun(engine(tests)
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
                .execute());
    }

    private static EngineTestKit.Builder engine(Class<?>... tests) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("meshguard.page", "off")
                .selectors(Arrays.stream(tests)
                        .map(DiscoverySelectors::selectClass)
                        .toArray(DiscoverySelector[]::new));
    }

    /** Returns the messages of the failures of tests, classes and the run. */
    List<String> failures() {
        return results.allEvents().failed().stream().map(TrackedRun::textOf).toList();
    }

    /** Returns how the failure of each test, class or run that failed begins, without the line, by its name. */
    Map<String, String> headlines() {
        return results.allEvents().failed().stream()
                .collect(Collectors.toMap(
                        TrackedRun::nameOf, failed -> textOf(failed).replaceFirst("(?s)[;\\n].*", "")));
    }

    private static String nameOf(Event event) {
        return event.getTestDescriptor().getDisplayName().replace("()", "");
    }

    private static String textOf(Event failed) {
        return failed.getPayload(TestExecutionResult.class)
                .flatMap(TestExecutionResult::getThrowable)
                .map(TrackedRun::textOf)
                .orElseThrow();
    }

    /** JUnit wraps what closing a store throws. */
    private static String textOf(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null && !cause.getClass().getName().startsWith("dev.meshguard.")) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    /** Returns the names of the tests that failed. */
    Set<String> failedTests() {
        return results.testEvents().failed().stream()
                .map(TrackedRun::nameOf)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the only failure, with line and event numbers masked. */
    String failure() {
        List<String> all = failures();
        if (all.size() != 1) {
            throw new AssertionError("failures: " + all);
        }
        return masked(all.get(0));
    }

    static String masked(String text) {
        return text.replaceAll("\\.java:\\d+", ".java:NN").replaceAll("#\\d+", "#N");
    }
}
