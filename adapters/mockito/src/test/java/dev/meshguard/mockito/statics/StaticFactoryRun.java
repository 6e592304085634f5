package dev.meshguard.mockito.statics;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs test classes with Jupiter. */
final class StaticFactoryRun {

    private StaticFactoryRun() {}

    /** Runs classes in their order, on the calling thread. */
    static EngineExecutionResults run(Class<?>... tests) {
        return engine(tests).execute();
    }

    /** Runs the tests of a class on four threads. */
    static EngineExecutionResults runConcurrently(Class<?> tests) {
        return engine(tests)
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
                .execute();
    }

    private static EngineTestKit.Builder engine(Class<?>... tests) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("meshguard.page", "off")
                .selectors(Arrays.stream(tests).map(type -> selectClass(type)).toArray(DiscoverySelector[]::new));
    }

    /** Returns the messages of the failures of a run. */
    static List<String> failuresOf(Class<?>... tests) {
        return run(tests).allEvents().failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow()
                        .getMessage())
                .toList();
    }
}
