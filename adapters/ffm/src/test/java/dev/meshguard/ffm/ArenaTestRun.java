package dev.meshguard.ffm;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Runs test classes with Jupiter. */
final class ArenaTestRun {

    private ArenaTestRun() {}

    /** Returns the messages of the tests of a class that failed. */
    static List<String> failuresOf(Class<?> testClass) {
        return EngineTestKit.engine("junit-jupiter")
                .configurationParameter("meshguard.page", "off")
                .selectors(selectClass(testClass))
                .execute()
                .testEvents()
                .failed()
                .stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow()
                        .getMessage())
                .toList();
    }
}
