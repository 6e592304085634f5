package dev.meshguard.junit;

import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.RunState;
import dev.meshguard.junit.internal.SourceRuntime;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.TemplateInvocation;
import dev.meshguard.junit.internal.pages.PageSubject;
import dev.meshguard.junit.internal.pages.RunPages;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.junit.internal.summary.RunningCheck;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.allocator.MeshRuntimeException;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.process.TrackedProcess;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mesh, the runtime and the tracker of one test, class or suite, and the check at its end.
 *
 * <p>A value of a store: the engine closes it when the test, class or suite ends. Nothing is opened before it is
 * requested.
 *
 * <p>Safe for use by several threads, because a test with a timeout may run on another thread than its callbacks.
 */
final class TrackingSession implements StoredResource, SourceRuntime {

    private static final Logger logger = LoggerFactory.getLogger(MeshGuardExtension.class);

    private final TrackingSettings settings;
    private final ExpectedBuffers expected;
    private final Optional<MethodPromises> promises;
    private final BudgetCheck budgets;
    private final RunState run;
    private final GraceTimer timer;
    private final TrackedTest test;
    private final ExtensionContext owner;
    private final ConfigurationCache.Lazy<CheckSubject> subject;
    private final List<PartialVerdict> reported = new CopyOnWriteArrayList<>();
    private final Optional<TemplateInvocation> template;
    private final Map<String, Scope> rounds = new HashMap<>();
    private final List<Scope> scopes = new ArrayList<>();
    private final ProcessSessions processes = new ProcessSessions();
    private Phase phase = Phase.START;
    private boolean isAskedFor;
    private @Nullable AllocationTracker tracker;
    private @Nullable Ttnn ttnn;
    private @Nullable MeshDevice mesh;

    /** The verdict that was reported for a test on this mesh. */
    private record PartialVerdict(AllocationContext context, LeakVerdict verdict) {}

    TrackingSession(
            TrackingSettings settings,
            ExpectedBuffers expected,
            Optional<MethodPromises> promises,
            BudgetCheck budgets,
            RunState run,
            GraceTimer timer,
            ExtensionContext owner,
            ConfigurationCache.Lazy<CheckSubject> subject,
            Optional<TemplateInvocation> template) {
        this.settings = settings;
        this.expected = expected;
        this.promises = promises;
        this.budgets = budgets;
        this.run = run;
        this.timer = timer;
        this.test = TrackedTest.of(owner);
        this.owner = owner;
        this.subject = subject;
        this.template = template;
    }

    MemorySource source() {
        return settings.source();
    }

    /** Returns the name of the responsible test, class or suite, as selected by build tools. */
    String name() {
        return test.name();
    }

    CheckPolicy policies() {
        return settings.policies();
    }

    RunState run() {
        return run;
    }

    /** Returns whether each test on this mesh is responsible for its own survivors. */
    boolean checksEachTest() {
        return settings.checksEachTest();
    }

    /** Returns whether each dynamic test is responsible for its own survivors. */
    boolean checksEachDynamicTest() {
        return settings.lifetime() == TrackingLifetime.TEST || checksEachTest();
    }

    /** Returns whether it lasts as long as the test or class of a context. */
    boolean isOf(ExtensionContext context) {
        return owner == context;
    }

    /** Marks the calling thread as running code of the test until the scope is closed. */
    Scope body() {
        return test.body();
    }

    /** Returns the tracker, which from now on must receive reports: a test that requests it has something to report. */
    @Override
    public synchronized AllocationTracker tracker() {
        isAskedFor = true;
        return trackerForAll();
    }

    private synchronized AllocationTracker trackerForAll() {
        AllocationTracker existing = tracker;
        if (existing == null) {
            existing = AllocationTracker.builder()
                    .originCapture(settings.policies().origins())
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

    @Override
    public RunPages pages() {
        return run.reporting().pages();
    }

    @Override
    public PageSubject subject() {
        return test.page();
    }

    /** Returns the programs that the test starts; each is checked separately, in addition to other requests. */
    synchronized TrackedProcesses processes() {
        return processes.processes(phase);
    }

    /** Returns the server for programs that the test does not start itself. */
    synchronized AllocationServer server() {
        return processes.server(this::tracker);
    }

    synchronized MeshDevice mesh() {
        MeshDevice existing = mesh;
        if (existing == null) {
            existing = ttnn().openMeshDevice(settings.openingOfMesh());
            mesh = existing;
        }
        return existing;
    }

    /** Begins a phase of the test; a second call does nothing, because the extension may be registered twice. */
    synchronized void begin(Phase next) {
        if (!next.equals(phase)) {
            phase = next;
            processes.begin(next);
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

    /** Returns whether the repetitions of a test are rounds of this mesh. */
    boolean countsRounds() {
        return settings.lifetime() != TrackingLifetime.TEST;
    }

    /** Begins a round of a mesh that lasts for all repetitions of a test; a second call does nothing. */
    synchronized void beginRound(String repetition, int round) {
        if (countsRounds() && !rounds.containsKey(repetition)) {
            rounds.put(repetition, trackerForAll().round(round));
        }
    }

    /** Ends a round, if it has begun. */
    synchronized void endRound(String repetition) {
        Scope round = rounds.remove(repetition);
        if (round != null) {
            round.close();
        }
    }

    /** Opens an accounting scope for a test on this mesh; this alone creates nothing that must be checked. */
    AllocationContext context(String name) {
        return trackerForAll().context(name);
    }

    /** Attributes allocations of the calling thread to no test on this mesh until the scope is closed. */
    Scope forAll() {
        return trackerForAll().outsideContexts();
    }

    /** Queries the allocators of the open meshes for a test's budgets. */
    synchronized void read(BudgetCheck ofTest) {
        ofTest.read(openMeshes());
    }

    /** Reports the survivors of a test on this mesh; the check of the mesh does not report them again. */
    void judge(
            AllocationContext tenant,
            Function<AllocationHistory, LeakVerdict> examine,
            CheckReporter conclusion,
            List<String> notes,
            RunningCheck running) {
        AllocationTracker shared = trackerForAll();
        shared.checked();
        Supplier<LeakVerdict> judge = () -> examine.apply(shared.history().partOf(tenant));
        LeakVerdict verdict = judge.get();
        if (!verdict.survivors().isEmpty() || !verdict.anomalies().isEmpty()) {
            reported.add(new PartialVerdict(tenant, verdict));
        }
        conclusion.draw(verdict, judge, shared, notes, null, running);
    }

    /**
     * Waits for late frees of a test on this mesh, as its policies allow.
     *
     * @return notes for the reader if the wait was in vain
     */
    List<String> await(AllocationContext tenant, Function<AllocationHistory, LeakVerdict> examine, CheckPolicy ofTest) {
        AllocationTracker shared = trackerForAll();
        return new GracePeriod(ofTest.grace(), timer)
                        .await(new PendingFrees(
                                shared,
                                tenant::mayHaveSurvivors,
                                () -> examine.apply(shared.history().partOf(tenant))))
                        .stream()
                        .toList();
    }

    /** Closes what is still open, and fails the test if a check does not hold. */
    @Override
    public void close() {
        FailedChecks failed = new FailedChecks();
        List<TrackedProcess> programs = ended();
        MethodPromises ofAll = promises.orElseGet(() -> new MethodPromises(test, promised()));
        boolean isAlone =
                promises.isEmpty() && programs.size() + (trackerThatIsChecked().isPresent() ? 1 : 0) == 1;
        Terms terms = new Terms(isAlone ? promised() : expected.forSeveralChecks(), ofAll);
        for (int i = 0; i < programs.size(); i++) {
            int number = i + 1;
            failed.collect(() -> check(programs.get(number - 1), number, terms));
        }
        failed.collect(() -> closeMemory(terms));
        if (test.thrown().isPresent()) {
            ofAll.giveUp();
        }
        if (promises.isEmpty() && !isAlone) {
            failed.collect(ofAll::close);
        }
        failed.throwAll();
    }

    /** Required entries apply only to a test that completed and whose memory is checked. */
    private ExpectedBuffers promised() {
        boolean promises = settings.policies().check() != AllocationCheck.NONE
                && test.thrown().isEmpty();
        return promises ? expected : expected.forSeveralChecks();
    }

    /**
     * The expectations of one check.
     *
     * @param expected the expected buffers
     * @param promises the combined expectations of all checks of the method
     */
    private record Terms(ExpectedBuffers expected, MethodPromises promises) {

        LeakCheck check() {
            return LeakCheck.create().expecting(expected);
        }

        LeakVerdict found(LeakVerdict verdict) {
            promises.checked();
            promises.add(verdict);
            return verdict;
        }
    }

    private synchronized List<TrackedProcess> ended() {
        return processes.ended();
    }

    private void check(TrackedProcess process, int number, Terms terms) {
        LeakCheck check = terms.check();
        try (RunningCheck running = run.reporting().numbers().checkOfMesh(test.subjectOf(process))) {
            new CheckReporter(
                            settings.policies(),
                            new BudgetCheck(List.of()),
                            run,
                            test,
                            () -> test.page().part("process", number),
                            Optional.empty())
                    .draw(
                            terms.found(process.verdict(check)),
                            () -> process.verdict(check),
                            process.tracker(),
                            process.notes(),
                            null,
                            running);
        }
    }

    private void closeMemory(Terms terms) {
        List<String> notes =
                new ArrayList<>(template.map(TemplateInvocation::notes).orElse(List.of()));
        awaitLateFrees(terms).ifPresent(notes::add);
        close(notes, terms);
    }

    /** Without the lock: a thread that frees late may still need the tracker and the meshes of this session. */
    private Optional<String> awaitLateFrees(Terms terms) {
        Optional<AllocationTracker> all = trackerThatIsChecked();
        if (all.isEmpty() || !settings.policies().waits(test.thrown())) {
            return Optional.empty();
        }
        AllocationTracker watched = all.get();
        return new GracePeriod(settings.policies().grace(), timer)
                .await(new PendingFrees(
                        watched, () -> PendingFrees.hasAny(watched), () -> examined(watched.history(), terms)));
    }

    private synchronized Optional<AllocationTracker> trackerThatIsChecked() {
        return isAskedFor ? Optional.ofNullable(tracker) : Optional.empty();
    }

    private synchronized void close(List<String> notes, Terms terms) {
        AllocationTracker all = tracker;
        if (all == null || !isAskedFor) {
            return;
        }
        notes.addAll(processes.closeServer());
        try (RunningCheck running = run.reporting().numbers().checkOfMesh(subject.orElseLook(test::subject))) {
            check(all, notes, running, terms);
        }
    }

    private void check(AllocationTracker all, List<String> notes, RunningCheck running, Terms terms) {
        retire();
        budgets.readUnlessRead(openMeshes());
        RuntimeException failedClose = closeMeshes(notes);
        // Frees after this line are late, including those by a collection that a search for handles forces.
        all.checked();
        LeakVerdict verdict = terms.found(examined(all.history(), terms));
        template.ifPresent(invocation -> invocation.judged(verdict));
        noteThreadsThatOutlivedTheirTest(verdict, notes);
        new CheckReporter(settings.policies(), budgets, run, test, test::page, template)
                .draw(verdict, () -> examined(all.history(), terms), all, notes, failedClose, running);
    }

    private LeakVerdict examined(AllocationHistory history, Terms terms) {
        LeakCheck check = terms.check();
        for (PartialVerdict part : reported) {
            check = check.excluding(part.verdict(), part.context().name());
        }
        return check.examine(history);
    }

    /** The check of such a test ran earlier, so its threads are found here; the note names the test to look at. */
    private static void noteThreadsThatOutlivedTheirTest(LeakVerdict verdict, List<String> notes) {
        if (verdict.survivors().isEmpty()) {
            return;
        }
        Map<String, Integer> late = new LinkedHashMap<>();
        PendingFrees.in(verdict)
                .forEach(survivor -> survivor.buffer()
                        .request()
                        .context()
                        .ifPresent(tenant -> late.merge(tenant.name(), 1, Integer::sum)));
        late.forEach((name, buffers) -> notes.add(String.format(
                Locale.ROOT, "%s asked for %s of these after it was over", name, Quantities.count(buffers, "buffer"))));
    }

    /** A reference that a field or a thread keeps beyond the test would open meshes that are never checked. */
    private void retire() {
        if (ttnn != null) {
            ttnn.retire(
                    "this Ttnn belonged to " + subject.orElseLook(test::subject).name()
                            + ", which is over and was checked. Ask for a Ttnn where you use it.");
        }
    }

    /**
     * Submeshes are closed first, as in the runtime's own fixture: a mesh cannot be closed while one of them uses its
     * queue.
     */
    private @Nullable RuntimeException closeMeshes(List<String> notes) {
        RuntimeException failed = null;
        List<MeshDevice> open = new ArrayList<>(openMeshes());
        if (open.size() > 1) {
            open.sort(Comparator.comparing(mesh -> mesh.parent().isEmpty()));
        }
        for (MeshDevice one : open) {
            notes.add("mesh " + one.id() + " was left open; MeshGuard cleared its program cache and closed it");
            try {
                one.parent().ifPresent(TrackingSession::quiesce);
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

    /** A mesh cannot be closed while its parent uses its queue; a test that left both open may not have waited for it. */
    private static void quiesce(MeshDevice parent) {
        try {
            parent.clearLoadedSubDeviceManager();
            parent.quiesceDevices();
        } catch (MeshRuntimeException stillInUse) {
            logger.debug("Mesh {} cannot be quiesced; the close says what is in its way", parent.id(), stillInUse);
        }
    }
}
