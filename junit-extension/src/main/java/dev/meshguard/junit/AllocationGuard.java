package dev.meshguard.junit;

import dev.meshguard.assertions.BudgetAssertionError;
import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.junit.internal.GuardedRuntime;
import dev.meshguard.junit.internal.RunAccount;
import dev.meshguard.junit.internal.TemplateInvocation;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Phase;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.handle.SearchSummary;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Standing;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.MultipleFailuresError;
import org.opentest4j.TestAbortedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mesh, the runtime and the tracker of one test, and the check at its end.
 *
 * <p>A value of the test's store: the engine closes it when the test is over. Nothing is opened before it is asked for.
 *
 * <p>Safe for use by several threads, because a test with a timeout may run on another one than its callbacks.
 */
final class AllocationGuard implements AutoCloseable, GuardedRuntime {

    private static final Logger logger = LoggerFactory.getLogger(MeshGuardExtension.class);

    private final GuardSettings settings;
    private final ExpectedBuffers expected;
    private final BudgetCheck budgets;
    private final RunAccount run;
    private final GuardedTest test;
    private final Optional<TemplateInvocation> template;
    private final Map<String, Scope> rounds = new HashMap<>();
    private final List<Scope> scopes = new ArrayList<>();
    private Phase phase = Phase.START;
    private @Nullable AllocationTracker tracker;
    private @Nullable Ttnn ttnn;
    private @Nullable MeshDevice mesh;

    AllocationGuard(
            GuardSettings settings,
            ExpectedBuffers expected,
            BudgetCheck budgets,
            RunAccount run,
            GuardedTest test,
            Optional<TemplateInvocation> template) {
        this.settings = settings;
        this.expected = expected;
        this.budgets = budgets;
        this.run = run;
        this.test = test;
        this.template = template;
    }

    @Override
    public synchronized AllocationTracker tracker() {
        AllocationTracker existing = tracker;
        if (existing == null) {
            existing = AllocationTracker.builder()
                    .originCapture(settings.origins())
                    .build();
            tracker = existing;
            if (!phase.equals(Phase.START)) {
                scopes.add(existing.phase(phase));
            }
        }
        return existing;
    }

    @Override
    public synchronized Ttnn ttnn() {
        Ttnn existing = ttnn;
        if (existing == null) {
            existing = settings.ttnn(tracker());
            ttnn = existing;
        }
        return existing;
    }

    synchronized MeshDevice mesh() {
        MeshDevice existing = mesh;
        if (existing == null) {
            existing = ttnn().openMeshDevice(settings.openingOfMesh());
            mesh = existing;
        }
        return existing;
    }

    /** Begins a phase of the test; a second time does nothing, because the extension may be registered twice. */
    synchronized void begin(Phase next) {
        if (!next.equals(phase)) {
            phase = next;
            if (next.equals(Phase.TEARDOWN)) {
                budgets.read(openMeshes());
            }
            if (tracker != null) {
                scopes.add(tracker.phase(next));
            }
        }
    }

    /** Ends the phases of one test of several. */
    synchronized void endPhases() {
        if (!scopes.isEmpty()) {
            scopes.get(0).close();
            scopes.clear();
        }
        phase = Phase.START;
    }

    /** Begins a round of a mesh that lasts for all repetitions of a test; a second time does nothing. */
    synchronized void beginRound(String repetition, int round) {
        if (settings.lifetime() == MeshLifetime.CLASS && !rounds.containsKey(repetition)) {
            rounds.put(repetition, tracker().round(round));
        }
    }

    /** Ends a round, if it was begun. */
    synchronized void endRound(String repetition) {
        Scope round = rounds.remove(repetition);
        if (round != null) {
            round.close();
        }
    }

    /** Closes what was left open, and fails the test if the check does not hold. */
    @Override
    public synchronized void close() {
        if (tracker == null) {
            return;
        }
        retire();
        budgets.readUnlessRead(openMeshes());
        List<String> notes =
                new ArrayList<>(template.map(TemplateInvocation::notes).orElse(List.of()));
        RuntimeException failedClose = closeMeshes(notes);
        // What is freed from here on, by a collection that the search below forces or by whatever else, is late.
        tracker.checked();
        AllocationHistory history = tracker.history();
        LeakVerdict verdict = examined(history);
        if (settings.check() != AllocationCheck.NONE) {
            run.add(verdict);
        }
        Optional<Throwable> thrown = test.thrown();
        ToldFindings told = ToldFindings.by(thrown);
        Optional<BudgetAssertionError> overBudget = budgets.failure(verdict, test);
        tellTemplate(verdict);
        boolean holds = settings.check().holdsFor(verdict) || isRightForTemplate(verdict);
        boolean isKnown = !holds && run.covers(verdict);
        if (isKnown) {
            notes.add("every leak is in the baseline, so the test does not fail");
            test.publish(report(verdict, notes).text());
        }
        if (!holds && !isKnown && !told.cover(verdict)) {
            if (isToBeExplained(verdict)) {
                verdict = explained(tracker, history, notes);
            }
            notes.addAll(told.notes(verdict));
            LeakAssertionError failure = failure(verdict, notes);
            if (failedClose != null) {
                failure.addSuppressed(failedClose);
            }
            fail(overBudget.map(budget -> both(failure, budget)).orElse(failure), thrown);
        } else if (overBudget.isPresent()) {
            if (failedClose != null) {
                overBudget.get().addSuppressed(failedClose);
            }
            fail(overBudget.get(), thrown);
        } else if (failedClose != null) {
            throw failedClose;
        } else if (!isKnown && settings.check() != AllocationCheck.NONE) {
            publishOverlaps(verdict, notes);
        }
    }

    private void tellTemplate(LeakVerdict verdict) {
        template.ifPresent(invocation -> invocation.judged(verdict));
    }

    private boolean isRightForTemplate(LeakVerdict verdict) {
        return template.filter(invocation -> invocation.accepts(verdict)).isPresent();
    }

    private LeakVerdict examined(AllocationHistory history) {
        return LeakCheck.create().expecting(expected).examine(history);
    }

    /** Who holds a buffer is only asked where nothing else explains why it is left, because asking costs collections. */
    private static boolean isToBeExplained(LeakVerdict verdict) {
        return !verdict.survivors(survivor -> survivor.cause() == Cause.UNEXPLAINED)
                .isEmpty();
    }

    private LeakVerdict explained(AllocationTracker tracker, AllocationHistory history, List<String> notes) {
        SearchSummary searched = test.handleSearch().trace(tracker, history);
        if (searched.withoutPath() > 0 && !searched.unread().isEmpty()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "who holds buffers was not looked for in %s, which cannot be read from outside",
                    String.join(", ", searched.unread())));
        }
        return examined(tracker.history());
    }

    /** No check fails for them, but data that two meshes write over each other must not go unseen. */
    private void publishOverlaps(LeakVerdict verdict, List<String> notes) {
        if (!verdict.meshOverlaps().isEmpty()) {
            test.publish(report(verdict, notes).text());
        }
    }

    /** What a field or a thread keeps beyond the test would open meshes that are never checked. */
    private void retire() {
        if (ttnn != null) {
            ttnn.retire(String.format(
                    Locale.ROOT,
                    "this Ttnn belonged to %s, which is over and was checked. Ask for a Ttnn where you use it.",
                    test.name()));
        }
    }

    /** Submeshes come first, as in the runtime's own fixture: a mesh cannot be closed while one of them uses its queue. */
    private @Nullable RuntimeException closeMeshes(List<String> notes) {
        RuntimeException failed = null;
        List<MeshDevice> open = new ArrayList<>(openMeshes());
        open.sort(Comparator.comparing(mesh -> mesh.parent().isEmpty()));
        for (MeshDevice one : open) {
            notes.add(String.format(
                    Locale.ROOT, "mesh %d was left open; MeshGuard cleared its program cache and closed it", one.id()));
            try {
                one.parent().ifPresent(AllocationGuard::quiesce);
                one.disableAndClearProgramCache();
                one.close();
            } catch (RuntimeException exception) {
                if (failed == null) {
                    failed = exception;
                } else {
                    failed.addSuppressed(exception);
                }
            }
        }
        return failed;
    }

    private List<MeshDevice> openMeshes() {
        return ttnn == null ? List.of() : ttnn.openMeshDevices();
    }

    /** A mesh cannot be closed while its parent uses its queue, which a test that left both open did not mind. */
    private static void quiesce(MeshDevice parent) {
        try {
            parent.clearLoadedSubDeviceManager();
            parent.quiesceDevices();
        } catch (MeshRuntimeException stillInUse) {
            logger.debug("Mesh {} cannot be quiesced; the close says what is in its way", parent.id(), stillInUse);
        }
    }

    private LeakAssertionError failure(LeakVerdict verdict, List<String> notes) {
        LeakAssertionError failure =
                LeakAssertionError.of(report(verdict, notes).text(), verdict);
        failure.setStackTrace(placeOf(verdict));
        return failure;
    }

    private VerdictReport report(LeakVerdict verdict, List<String> notes) {
        VerdictReport report = run.baseline()
                .map(known -> VerdictReport.of(verdict, known))
                .orElseGet(() -> VerdictReport.of(verdict));
        for (String note : notes) {
            report = report.noting(note);
        }
        return report.reproducedBy(test.reproduction());
    }

    /** The frames of the engine would lead nowhere: where the buffer was asked for is what the reader looks for. */
    private StackTraceElement[] placeOf(LeakVerdict verdict) {
        return Stream.of(Standing.LEAKED, Standing.MISREPORTED)
                .flatMap(standing -> verdict.groups(standing).stream())
                .map(SurvivorGroup::origin)
                .flatMap(Optional::stream)
                .findFirst()
                .map(origin -> origin.frames().toArray(StackTraceElement[]::new))
                .orElseGet(() -> new StackTraceElement[] {test.frame()});
    }

    /** A leak and a budget that was not kept are two things to repair, and each is told once. */
    private static AssertionError both(LeakAssertionError leak, BudgetAssertionError budget) {
        MultipleFailuresError both = new MultipleFailuresError("The memory check failed", List.of(leak, budget));
        both.setStackTrace(leak.getStackTrace());
        return both;
    }

    private void fail(AssertionError failure, Optional<Throwable> thrown) {
        thrown.ifPresent(unused -> test.publish(String.valueOf(failure.getMessage())));
        failUnlessAborted(failure, thrown);
    }

    /** Thrown while an abort is under way, an error would turn the aborted test into a failed one. */
    private static void failUnlessAborted(AssertionError failure, Optional<Throwable> thrown) {
        if (thrown.isPresent() && thrown.get() instanceof TestAbortedException aborted) {
            aborted.addSuppressed(failure);
        } else {
            throw failure;
        }
    }
}
