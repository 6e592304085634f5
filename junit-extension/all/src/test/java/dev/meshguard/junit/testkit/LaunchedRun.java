package dev.meshguard.junit.testkit;

import dev.meshguard.junit.summary.SummaryListener;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes like a build tool: with the launcher, and a listener that keeps the printed text. */
public final class LaunchedRun {

    private final List<String> printed = new CopyOnWriteArrayList<>();
    private final List<String> failed = new CopyOnWriteArrayList<>();
    private final Launcher launcher;

    private LaunchedRun(TestExecutionListener... listeners) {
        launcher = LauncherFactory.create(LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .enableLauncherSessionListenerAutoRegistration(false)
                .addTestExecutionListeners(SummaryListener.to(printed::add), new Failures())
                .addTestExecutionListeners(listeners)
                .build());
    }

    private final class Failures implements TestExecutionListener {
        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                failed.add(test.getDisplayName());
            }
        }
    }

    /** Returns a launcher before its first run. */
    public static LaunchedRun launcher(TestExecutionListener... listeners) {
        return new LaunchedRun(listeners);
    }

    /** Runs classes in one plan. */
    public LaunchedRun run(Map<String, String> parameters, Class<?>... testClasses) {
        launcher.execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(Arrays.stream(testClasses)
                        .map(DiscoverySelectors::selectClass)
                        .toArray(DiscoverySelector[]::new))
                .configurationParameters(parameters)
                .build());
        return this;
    }

    /** Runs classes in one plan. */
    public LaunchedRun run(Class<?>... testClasses) {
        return run(Map.of(), testClasses);
    }

    /** Returns the printed summary of each run. */
    public List<String> printed() {
        return List.copyOf(printed);
    }

    /** Returns the display names of the tests and containers that failed or were aborted. */
    public List<String> failed() {
        return List.copyOf(failed);
    }
}
