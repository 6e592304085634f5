package dev.meshguard.junit.summary;

import dev.meshguard.report.summary.RunSummary;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints what a run tracked, when it is over; nothing if nothing was tracked.
 *
 * <p>JUnit's launcher finds it by itself, also when the tests are on the module path: this artifact is no module, so that build tools
 * leave it on the class path, where the launcher is. Whoever starts a launcher that looks for no listeners registers it:
 *
 * <pre>{@code
 * launcher.registerTestExecutionListeners(new SummaryListener());
 * }</pre>
 *
 * <p>{@code meshguard.summary}, a configuration parameter of JUnit, says when it prints: {@code always} (the default), only for
 * {@code failures}, or {@code off}.
 *
 * <h2>Where the numbers come from</h2>
 *
 * <p>The extension publishes them as one report entry of the engine when its last test is over, so they are in the reports of other
 * tools too. An entry belongs to a plan, whatever else the launcher runs at the same time; a static field or a store of the session would
 * mix plans. The numbers of several engines, as suites have them, are added up.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class SummaryListener implements TestExecutionListener {

    private final Consumer<String> output;
    private final List<Published> published = new CopyOnWriteArrayList<>();

    private record Published(TestIdentifier engine, RunSummary summary) {}

    /** Creates a listener that prints to the standard output, as it is when a run ends. */
    public SummaryListener() {
        this(text -> System.out.println(String.format(Locale.ROOT, "%n%s", text)));
    }

    private SummaryListener(Consumer<String> output) {
        this.output = output;
    }

    /**
     * Returns a listener that hands the text on, to a log for example.
     *
     * @param output takes the text of each run that tracked anything; several lines without a line break at the end
     */
    public static SummaryListener to(Consumer<String> output) {
        return new SummaryListener(output);
    }

    @Override
    public void reportingEntryPublished(TestIdentifier testIdentifier, ReportEntry entry) {
        RunSummary.read(entry.getKeyValuePairs())
                .ifPresent(summary -> published.add(new Published(testIdentifier, summary)));
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        Optional<RunSummary> whole = published.stream()
                .filter(one -> isOf(testPlan, one.engine()))
                .map(Published::summary)
                .reduce(RunSummary::and);
        published.removeIf(one -> isOf(testPlan, one.engine()));
        whole.map(RunSummary::text).ifPresent(output);
    }

    /** Engines are called the same in every plan, so that only the object tells the plan. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isOf(TestPlan plan, TestIdentifier engine) {
        return plan.countTestIdentifiers(identifier -> identifier == engine) > 0;
    }
}
