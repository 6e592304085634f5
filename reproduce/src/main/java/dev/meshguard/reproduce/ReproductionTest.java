package dev.meshguard.reproduce;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.reproduce.minimize.FailureSignature;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.lang.model.SourceVersion;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The source of a JUnit test that fails like a recorded run.
 *
 * <pre>{@code
 * AllocationHistory least = HistoryMinimizer.create().minimize(history).history();
 * Files.writeString(Path.of("KvCacheIsLostTest.java"), ReproductionTest.of(least).source());
 * }</pre>
 *
 * <p>If code keeps, loses or forgets buffers, the test is a program on the mesh without hardware: it can be debugged,
 * and passes when the buffers are freed. Other findings are caused by wrong reports, or by a process, a cache or the
 * runtime. No program reproduces them on a correct runtime, so the test repeats the reports to a tracker.
 *
 * <p>{@linkplain dev.meshguard.reproduce.minimize.HistoryMinimizer Minimize} the history before: every event becomes a
 * line. Labels and other texts of the run are always literals, never code.
 *
 * <p>Immutable and safe for use by several threads.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class ReproductionTest {

    private static final String SUFFIX = "Test";

    private final AllocationHistory history;
    private final LeakVerdict verdict;
    private final FailureSignature finding;
    private final String packageName;
    private final String className;
    private final String note;
    private final boolean onTracker;

    private ReproductionTest(
            AllocationHistory history,
            LeakVerdict verdict,
            String packageName,
            String className,
            String note,
            boolean onTracker) {
        this.history = history;
        this.verdict = verdict;
        this.finding = FailureSignature.of(verdict);
        this.packageName = packageName;
        this.className = className;
        this.note = note;
        this.onTracker = onTracker;
    }

    /**
     * Returns the test for a history, without a package and named after its finding.
     *
     * @throws IllegalArgumentException if the history has no finding, or its past was not kept
     */
    public static ReproductionTest of(AllocationHistory history) {
        LeakVerdict verdict = LeakCheck.create().examine(history);
        FailureSignature finding = FailureSignature.of(verdict);
        if (finding.isClean()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "Nothing is wrong with this history (%s), so there is no test to write. Give one whose verdict fails.",
                    finding));
        }
        if (!history.isComplete()) {
            throw new IllegalArgumentException(
                    "This history holds only what was still allocated and sums, and no test can reproduce"
                            + " those. Record it with Retention.ALL.");
        }
        String name = JavaNames.upperFirst(FindingName.name(verdict)) + SUFFIX;
        return new ReproductionTest(history, verdict, "", name, "", false);
    }

    /**
     * Returns this test in a package.
     *
     * @throws IllegalArgumentException if the name is not a valid package name
     */
    public ReproductionTest inPackage(String newPackage) {
        if (!newPackage.isEmpty() && !SourceVersion.isName(newPackage)) {
            throw new IllegalArgumentException(
                    JavaNames.literal(newPackage) + " is no name of a package. Give one like dev.example.leaks.");
        }
        return new ReproductionTest(history, verdict, newPackage, className, note, onTracker);
    }

    /**
     * Returns this test with another name.
     *
     * @throws IllegalArgumentException if the name is not a valid class name
     */
    public ReproductionTest named(String newName) {
        if (!SourceVersion.isIdentifier(newName) || SourceVersion.isKeyword(newName)) {
            throw new IllegalArgumentException(
                    JavaNames.literal(newName) + " is no name of a class. Give one like " + className + ".");
        }
        return new ReproductionTest(history, verdict, packageName, newName, note, onTracker);
    }

    /** Returns this test with a note on the source of its history, for its comment. */
    public ReproductionTest from(String newNote) {
        return new ReproductionTest(history, verdict, packageName, className, newNote, onTracker);
    }

    /**
     * Returns this test in the form that reports to a tracker, even if a program on a mesh without hardware is
     * possible.
     */
    public ReproductionTest onTracker() {
        return new ReproductionTest(history, verdict, packageName, className, note, true);
    }

    /** Returns the name of the class, which is also that of its file. */
    public String className() {
        return className;
    }

    /** Returns the finding that the test reproduces. */
    public FailureSignature finding() {
        return finding;
    }

    /**
     * Returns the content of the file.
     *
     * @throws IllegalStateException if no sequence of reports by a test leads to the finding
     */
    public String source() {
        Optional<RuntimeProgram> program = onTracker ? Optional.empty() : RuntimeProgram.of(history, finding);
        return program.isPresent() ? ofProgram(program.get()) : ofReports();
    }

    private String ofProgram(RuntimeProgram program) {
        JavaSource source = new JavaSource();
        comment(
                source,
                "The test allocates as that run did, on a mesh without hardware; it passes when it frees everything."
                        + program.cast().map(cast -> " " + cast).orElse(""));
        program.annotations(source).forEach(source::line);
        source.open("class " + className).blank();
        program.fields(source);
        source.line("@" + source.use("org.junit.jupiter.api.Test"));
        source.open("void " + FindingName.name(verdict) + "(" + program.parameters(source) + ")");
        program.write(source);
        return source.close().close().text(packageName);
    }

    private String ofReports() {
        ReproductionDryRun play = ReproductionDryRun.of(withoutSharedMesh(history), finding)
                .orElseThrow(() -> new IllegalStateException(String.format(
                        Locale.ROOT,
                        "Nothing that a test can report leads to %s: it rests on what was recorded beside the events, or on more"
                                + " than one line of code can do. Keep the history, and replay it.",
                        finding)));
        JavaSource source = new JavaSource();
        comment(
                source,
                "The test reports to a tracker what that run reported; it goes green when " + whenGreen() + ".");
        source.open("class " + className).blank();
        source.line("@" + source.use("org.junit.jupiter.api.Test"));
        source.open("void " + FindingName.name(verdict) + "()");
        String tracker = source.use(AllocationTracker.class);
        source.line(tracker + " tracker = " + tracker
                + (play.hasFlatAddresses() ? ".create();" : ".builder().bankedAddresses().build();"));
        source.blank();
        if (!play.events().isEmpty()) {
            new TrackerProgram(play, source).write();
            source.blank();
        }
        source.line(source.useStatic("dev.meshguard.assertions.LeakAssertions.assertThat")
                + "(tracker).noLeaks().hasBalancedReports()"
                + (finding.outcome() == Outcome.OVERWRITTEN ? ".hasNoOverwrittenBuffers()" : "")
                + ";");
        return source.close().close().text(packageName);
    }

    /** A mesh that others share stays open, and the test is the only one on its tracker. */
    private static AllocationHistory withoutSharedMesh(AllocationHistory history) {
        return history.context().isPresent() && history.leavesMeshOpen()
                ? history.withEvents(history.events().stream()
                        .filter(event -> !(event instanceof HistoryEvent.MeshOpened))
                        .toList())
                : history;
    }

    private String whenGreen() {
        return switch (finding.outcome()) {
            case LEAKED -> "it reports the frees that are missing";
            case FREED_LATE -> "it frees before the close";
            case OVERWRITTEN -> "no data is overwritten";
            case INCONCLUSIVE -> "nothing remains undecided";
            default -> "the reports are right";
        };
    }

    private void comment(JavaSource source, String sentence) {
        String place = note.isEmpty() ? "" : " Found in " + JavaNames.comment(note) + ".";
        List<String> paragraphs = new ArrayList<>(List.of(finding + "." + place));
        FindingName.worst(verdict).map(verdict::remedyOf).ifPresent(paragraphs::add);
        paragraphs.add(sentence);
        source.comment(paragraphs);
    }
}
