package dev.meshguard.netty;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs test classes with Jupiter. */
final class NettyTestRun {

    private NettyTestRun() {}

    /** Returns the messages of the failures in a run of a class. */
    static List<String> failuresOf(Class<?> testClass) {
        return failures(EngineTestKit.engine("junit-jupiter").selectors(selectClass(testClass)));
    }

    /** Returns the messages of the failures in a run of a class of which two tests run at a time. */
    static List<String> failuresOfConcurrent(Class<?> testClass) {
        return failures(EngineTestKit.engine("junit-jupiter")
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                .selectors(selectClass(testClass)));
    }

    /** Returns the errors of the failures in a run of a class. */
    static List<Throwable> errorsOf(Class<?> testClass) {
        return errors(EngineTestKit.engine("junit-jupiter").selectors(selectClass(testClass)));
    }

    private static List<String> failures(EngineTestKit.Builder run) {
        return errors(run).stream().map(Throwable::getMessage).toList();
    }

    private static List<Throwable> errors(EngineTestKit.Builder run) {
        return run.configurationParameter("meshguard.page", "off").execute().allEvents().failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow())
                .toList();
    }
}
