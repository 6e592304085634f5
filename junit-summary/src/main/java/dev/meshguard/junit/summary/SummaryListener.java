package dev.meshguard.junit.summary;

import dev.meshguard.report.summary.RunSummary;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
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
 * <p>It also names the classes whose tests ask for a parameter of MeshGuard's types and lack the annotation.
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

    /** What JUnit says of a parameter of a type of ours that nobody resolves. */
    private static final Pattern UNRESOLVED = Pattern.compile(
            "No ParameterResolver registered for parameter \\[(?:final )?dev\\.meshguard\\.(?:[a-z]+\\.)+([A-Za-z]+) ");

    private static final String MODE = "meshguard.summary";

    private final Consumer<String> output;
    private final List<Published> published = new CopyOnWriteArrayList<>();
    private final List<Untracked> untracked = new CopyOnWriteArrayList<>();

    private record Published(TestIdentifier engine, RunSummary summary) {}

    private record Untracked(TestIdentifier test, String type) {}

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

    /** Remembers a test that asks for a parameter which the extension would resolve, were it registered. */
    @Override
    public void executionFinished(TestIdentifier testIdentifier, TestExecutionResult result) {
        result.getThrowable()
                .map(Throwable::getMessage)
                .map(UNRESOLVED::matcher)
                .filter(Matcher::find)
                .ifPresent(unresolved -> untracked.add(new Untracked(testIdentifier, unresolved.group(1))));
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        Optional<RunSummary> whole = published.stream()
                .filter(one -> isOf(testPlan, one.engine()))
                .map(Published::summary)
                .reduce(RunSummary::and);
        published.removeIf(one -> isOf(testPlan, one.engine()));
        whole.map(RunSummary::text).ifPresent(output);
        hint(testPlan).ifPresent(output);
    }

    private Optional<String> hint(TestPlan plan) {
        List<Untracked> ofPlan =
                untracked.stream().filter(one -> isOf(plan, one.test())).toList();
        untracked.removeAll(ofPlan);
        if (ofPlan.isEmpty()
                || plan.getConfigurationParameters()
                        .get(MODE)
                        .filter("off"::equals)
                        .isPresent()) {
            return Optional.empty();
        }
        return Optional.of(ofPlan.stream()
                .map(one -> "   " + classOf(one.test()) + " asks for a " + one.type())
                .distinct()
                .sorted()
                .collect(Collectors.joining("\n", "MeshGuard  Annotate with @TrackAllocations:\n", "")));
    }

    private static String classOf(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        return source instanceof MethodSource method
                ? method.getClassName()
                : source instanceof ClassSource type ? type.getClassName() : test.getDisplayName();
    }

    /** Engines are called the same in every plan, so that only the object tells the plan. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isOf(TestPlan plan, TestIdentifier engine) {
        return plan.countTestIdentifiers(identifier -> identifier == engine) > 0;
    }
}
