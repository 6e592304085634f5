package dev.meshguard.samples.support;

import static dev.meshguard.tracker.script.ExpectedText.expected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.history.AllocationHistory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** Runs fixtures and returns the failures of their tests. */
public final class Fixtures {

    private Fixtures() {}

    /**
     * Runs the tests of a fixture.
     *
     * @return the failure of each test by the name of its method, empty where it passed
     */
    public static Map<String, Optional<Throwable>> run(Class<?> fixture) {
        return run(fixture, Fixtures::nameOf);
    }

    private static Map<String, Optional<Throwable>> run(Class<?> fixture, Function<Event, String> name) {
        return run(fixture, name, Map.of("meshguard.page", "off"));
    }

    private static Map<String, Optional<Throwable>> run(
            Class<?> fixture, Function<Event, String> name, Map<String, String> parameters) {
        Map<String, Optional<Throwable>> failures = new LinkedHashMap<>();
        execute(fixture, parameters).testEvents().finished().stream()
                .forEach(event -> failures.put(name.apply(event), failureOf(event)));
        return failures;
    }

    /**
     * Runs the tests of a fixture of which some run several times.
     *
     * @return the failure of each run by its display name, empty where it passed
     */
    public static Map<String, Optional<Throwable>> runByDisplayName(Class<?> fixture) {
        return run(fixture, event -> event.getTestDescriptor().getDisplayName());
    }

    /** Runs a fixture of one test and returns what it failed with. */
    public static Throwable failureOf(Class<?> fixture) {
        return failureOf(fixture, Map.of("meshguard.page", "off"));
    }

    /** Runs a fixture of one test with configuration parameters and returns what it failed with. */
    public static Throwable failureOf(Class<?> fixture, Map<String, String> parameters) {
        Map<String, Optional<Throwable>> failures = run(fixture, Fixtures::nameOf, parameters);
        if (failures.size() != 1) {
            throw new IllegalStateException(fixture + " has not one test but " + failures.keySet());
        }
        return failures.values().iterator().next().orElseThrow(() -> new IllegalStateException(fixture + " passed"));
    }

    /** Returns the history that a leak was found in. */
    public static AllocationHistory historyOf(Throwable failure) {
        return ((LeakAssertionError) failure).verdict().history();
    }

    /** Verifies the whole message of a leak, with references to events of its history. */
    public static Consumer<Throwable> message(String text) {
        return failure -> assertThat(failure).hasMessage(expected(historyOf(failure), text));
    }

    private static EngineExecutionResults execute(Class<?> fixture, Map<String, String> parameters) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameters(parameters)
                .selectors(selectClass(fixture))
                .configurationParameter(Fixture.ENABLED, "true")
                .execute();
    }

    private static String nameOf(Event event) {
        return event.getTestDescriptor().getLegacyReportingName().replaceAll("\\(.*", "");
    }

    private static Optional<Throwable> failureOf(Event event) {
        return event.getPayload(TestExecutionResult.class).flatMap(TestExecutionResult::getThrowable);
    }
}
