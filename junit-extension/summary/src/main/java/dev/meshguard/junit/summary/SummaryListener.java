package dev.meshguard.junit.summary;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints the extension's summary at the end of a run, and names test classes that lack MeshGuard's annotation or artifact.
 *
 * <p>JUnit's launcher finds it without configuration, even if the tests are on the module path. This artifact is not a
 * module, so build tools keep it on the class path, where the launcher is. If a launcher does not search for listeners,
 * register it:
 *
 * <pre>{@code
 * launcher.registerTestExecutionListeners(new SummaryListener());
 * }</pre>
 *
 * <p>Set the configuration parameter {@code meshguard.summary} of JUnit to choose when it prints: {@code always} (the
 * default), only for {@code failures}, or {@code off}.
 *
 * <p>It also tells the extension which tests run. It names the classes whose tests declare a parameter of MeshGuard's types that
 * nothing injects: the annotation or the artifact is missing.
 *
 * <h2>Source of the numbers</h2>
 *
 * <p>The extension publishes the text as one report entry of the engine after its last test, so it is in the reports of
 * other tools too. An entry belongs to one plan, even if the launcher runs several concurrently; a static field or a
 * store of the session would mix plans. Each of several engines, as in suites, has a summary of its own.
 *
 * <p>Safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class SummaryListener implements TestExecutionListener {

    /** JUnit's message for a parameter of a MeshGuard type that no extension resolves. */
    private static final Pattern UNRESOLVED = Pattern.compile(
            "No ParameterResolver registered for parameter \\[(?:final )?(dev\\.meshguard\\.(?:[a-z]+\\.)+[A-Za-z]+) ");

    /** The configuration parameter, and the key of the report entry. */
    private static final String SUMMARY = "meshguard.summary";

    private final Consumer<String> output;
    private final List<Published> published = new CopyOnWriteArrayList<>();
    private final List<Untracked> untracked = new CopyOnWriteArrayList<>();

    private record Published(TestIdentifier engine, String summary) {}

    private record Untracked(TestIdentifier test, String type) {

        String line() {
            String name = type.substring(type.lastIndexOf('.') + 1);
            return "   " + TestAnnouncer.classOf(test) + " asks for "
                    + ("AEIOU".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
        }

        String annotation() {
            return type.startsWith("dev.meshguard.server.") ? "@WatchedProcesses" : "@TrackAllocations";
        }
    }

    /** Creates a listener that prints to the standard output at the end of a run. */
    public SummaryListener() {
        this(text -> System.out.println(String.format(Locale.ROOT, "%n%s", text)));
    }

    private SummaryListener(Consumer<String> output) {
        this.output = output;
    }

    /**
     * Returns a listener that passes the text to a consumer, for example a log.
     *
     * @param output receives the text of each run that tracked anything; several lines without a line break at the end
     */
    public static SummaryListener to(Consumer<String> output) {
        return new SummaryListener(output);
    }

    @Override
    public void reportingEntryPublished(TestIdentifier testIdentifier, ReportEntry entry) {
        String summary = entry.getKeyValuePairs().get(SUMMARY);
        if (summary != null) {
            published.add(new Published(testIdentifier, summary));
        }
    }

    /** Announces each test to the extension, which otherwise knows none without annotation. */
    @Override
    public void executionStarted(TestIdentifier testIdentifier) {
        TestAnnouncer.started(testIdentifier);
    }

    /** Records a test with a parameter that the extension would resolve if it were registered. */
    @Override
    public void executionFinished(TestIdentifier testIdentifier, TestExecutionResult result) {
        TestAnnouncer.finished(testIdentifier);
        result.getThrowable()
                .map(Throwable::getMessage)
                .map(UNRESOLVED::matcher)
                .filter(Matcher::find)
                .ifPresent(unresolved -> untracked.add(new Untracked(testIdentifier, unresolved.group(1))));
    }

    @Override
    public void testPlanExecutionFinished(TestPlan testPlan) {
        List<Published> ofPlan =
                published.stream().filter(one -> isOf(testPlan, one.engine())).toList();
        published.removeAll(ofPlan);
        ofPlan.forEach(one -> output.accept(one.summary()));
        hint(testPlan).ifPresent(output);
    }

    private Optional<String> hint(TestPlan plan) {
        List<Untracked> ofPlan =
                untracked.stream().filter(one -> isOf(plan, one.test())).toList();
        untracked.removeAll(ofPlan);
        if (ofPlan.isEmpty()
                || plan.getConfigurationParameters()
                        .get(SUMMARY)
                        .filter("off"::equals)
                        .isPresent()) {
            return Optional.empty();
        }
        return Optional.of(ofPlan.stream()
                .collect(Collectors.groupingBy(
                        Untracked::annotation,
                        TreeMap::new,
                        Collectors.mapping(Untracked::line, Collectors.toCollection(TreeSet::new))))
                .entrySet()
                .stream()
                .map(one -> "MeshGuard  Depend on meshguard-junit, and annotate with " + one.getKey() + ":\n"
                        + String.join("\n", one.getValue()))
                .collect(Collectors.joining("\n")));
    }

    /** Engines have the same ids in every plan, so only the object identifies the plan. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isOf(TestPlan plan, TestIdentifier engine) {
        return plan.countTestIdentifiers(identifier -> identifier == engine) > 0;
    }
}
