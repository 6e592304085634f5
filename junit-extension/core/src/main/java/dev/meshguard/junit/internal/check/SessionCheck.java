package dev.meshguard.junit.internal.check;

import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.config.ConfigurationCache;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.summary.CheckResult;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.junit.internal.summary.RunningCheck;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The check at the end of a session.
 *
 * <p>A value of a store: the engine closes it when the test, class or run ends.
 *
 * <p>Safe for use by several threads, because a test with a timeout may run on another thread than its callbacks.
 */
public final class SessionCheck implements StoredResource {

    private final TrackingSession session;
    private final TrackedTest test;
    private final SharedRunState run;
    private final CheckPolicy policies;
    private final ExpectedBuffers expected;
    private final Optional<MethodPromises> promises;
    private final BudgetCheck budgets;
    private final GraceTimer timer;
    private final ConfigurationCache.Lazy<CheckSubject> subject;
    private final Optional<TemplateInvocation> template;
    private final List<PartialVerdict> reported = new CopyOnWriteArrayList<>();

    /** The verdict that was reported for a test on this mesh. */
    private record PartialVerdict(AllocationContext context, LeakVerdict verdict) {}

    SessionCheck(
            TrackingSession session,
            ExpectedBuffers expected,
            Optional<MethodPromises> promises,
            BudgetCheck budgets,
            GraceTimer timer,
            ConfigurationCache.Lazy<CheckSubject> subject,
            Optional<TemplateInvocation> template) {
        this.session = session;
        this.test = session.test();
        this.run = session.run();
        this.policies = session.policies();
        this.expected = expected;
        this.promises = promises;
        this.budgets = budgets;
        this.timer = timer;
        this.subject = subject;
        this.template = template;
    }

    /** Returns the session. */
    public TrackingSession session() {
        return session;
    }

    /** Begins a phase of the test; a second call does nothing, because the extension may be registered twice. */
    public void begin(Phase next) {
        if (session.begin(next) && next.equals(Phase.TEARDOWN)) {
            budgets.read(session);
        }
    }

    /** Reports the survivors of a test on this mesh; the check of the mesh does not report them again. */
    void judge(
            AllocationContext context,
            Function<AllocationHistory, LeakVerdict> examine,
            CheckReporter reporter,
            List<String> notes,
            RunningCheck running) {
        AllocationTracker shared = session.trackerForAll();
        shared.checked();
        Supplier<LeakVerdict> judge = () -> examine.apply(shared.history().partOf(context));
        LeakVerdict verdict = judge.get();
        session.release(verdict);
        if (!verdict.survivors().isEmpty() || !verdict.anomalies().isEmpty()) {
            reported.add(new PartialVerdict(context, verdict));
        }
        reporter.report(verdict, judge, shared, notes, null, running);
    }

    /**
     * Waits for late frees of a test on this mesh, as its policies allow.
     *
     * @return notes for the reader if the wait was in vain
     */
    List<String> await(
            AllocationContext context, Function<AllocationHistory, LeakVerdict> examine, CheckPolicy ofTest) {
        AllocationTracker shared = session.trackerForAll();
        return awaitFrees(
                        ofTest,
                        new PendingFrees(
                                shared,
                                context::mayHaveSurvivors,
                                () -> examine.apply(shared.history().partOf(context))))
                .stream()
                .toList();
    }

    /** Closes what is still open, and fails the test if a check does not hold. */
    @Override
    public void close() {
        try (Scope bound = session.bindThread()) {
            checkAll();
        }
    }

    private void checkAll() {
        FailedChecks failed = new FailedChecks();
        List<SourcePart> parts = new ArrayList<>();
        failed.collect(() -> session.endParts(parts));
        MethodPromises ofAll = promises.orElseGet(() -> new MethodPromises(test, promised()));
        boolean isAlone =
                promises.isEmpty() && parts.size() + (session.requestedTracker().isPresent() ? 1 : 0) == 1;
        Terms terms = new Terms(isAlone ? promised() : expected.forSeveralChecks(), ofAll);
        for (int i = 0; i < parts.size(); i++) {
            int number = i + 1;
            failed.collect(() -> check(parts.get(number - 1), number, terms));
        }
        failed.collect(() -> {
            closeMemory(terms);
            recordUntracked(parts);
        });
        if (test.thrown().isPresent()) {
            ofAll.giveUp();
        }
        if (promises.isEmpty() && !isAlone) {
            failed.collect(ofAll::close);
        }
        failed.throwAll();
    }

    private FindingsRecorder findings(CheckSubject.Kind kind) {
        return new FindingsRecorder(run, test, kind, policies, session::sourceId);
    }

    /** Required entries apply only to a test that completed and whose memory is checked. */
    private ExpectedBuffers promised() {
        boolean promises =
                policies.check() != AllocationCheck.NONE && test.thrown().isEmpty();
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

    private void check(SourcePart part, int number, Terms terms) {
        Supplier<LeakVerdict> judge = () -> part.verdict(terms.check());
        List<String> notes = new ArrayList<>();
        if (!part.hasEnded()) {
            awaitLateFrees(part.tracker(), judge).ifPresent(notes::add);
        }
        try (RunningCheck running = run.reporting().numbers().checkOfMesh(test.subjectOf(part))) {
            budgets.readUnlessRead(session);
            part.tracker().checked();
            LeakVerdict verdict = terms.found(judge.get());
            notes.addAll(part.notes());
            new CheckReporter(
                            policies,
                            budgets,
                            run,
                            findings(CheckSubject.Kind.PROCESS),
                            test,
                            () -> test.page().part(part.kind(), number))
                    .report(verdict, judge, part.tracker(), notes, null, running);
        }
    }

    /** A test that requested nothing leaks nothing: only if that is recorded, an earlier leak of it is gone. */
    private void recordUntracked(List<SourcePart> parts) {
        if (!parts.isEmpty() || session.requestedTracker().isPresent()) {
            return;
        }
        if (promises.isEmpty() && !MethodPromises.promised(promised()).isEmpty()) {
            findings(test.kind()).add(Outcome.STALE_EXPECTATION, CheckResult.FAILED);
        } else {
            findings(test.kind()).add(Outcome.LEAK_FREE, CheckResult.HELD);
        }
    }

    private void closeMemory(Terms terms) {
        List<String> notes =
                new ArrayList<>(template.map(TemplateInvocation::notes).orElse(List.of()));
        Optional<AllocationTracker> all = session.requestedTracker();
        all.flatMap(own -> awaitLateFrees(own, () -> examined(own.history(), terms)))
                .ifPresent(notes::add);
        if (all.isPresent()) {
            try (RunningCheck running = run.reporting().numbers().checkOfMesh(subject.orElseLook(test::subject))) {
                check(all.get(), notes, running, terms);
            }
            return;
        }
        RuntimeException failedClose = session.close(notes);
        if (failedClose != null) {
            throw failedClose;
        }
    }

    /** Without a lock: a thread that frees late may still need the tracker and the memory of the session. */
    private Optional<String> awaitLateFrees(AllocationTracker watched, Supplier<LeakVerdict> judge) {
        return policies.waits()
                ? awaitFrees(policies, new PendingFrees(watched, () -> PendingFrees.hasAny(watched), judge))
                : Optional.empty();
    }

    private Optional<String> awaitFrees(CheckPolicy given, PendingFrees pending) {
        return new GracePeriod(given.grace(), timer).await(() -> {
            session.poll();
            return pending.getAsLong();
        });
    }

    private void check(AllocationTracker all, List<String> notes, RunningCheck running, Terms terms) {
        RuntimeException failedClose;
        try {
            budgets.readUnlessRead(session);
            session.poll();
        } finally {
            failedClose = session.close(notes);
        }
        session.poll();
        // Frees after this line are late, including those by a collection that a search for handles forces.
        all.checked();
        LeakVerdict verdict = terms.found(examined(all.history(), terms));
        if (session.handsOutTracker() && policies.check() != AllocationCheck.NONE) {
            run.keptTrackers().add(all, verdict.history(), test.name(), test.stack());
        }
        session.release(verdict);
        noteThreadsThatOutlivedTheirTest(verdict, notes);
        new CheckReporter(policies, budgets, run, findings(test.kind()), test, test::page)
                .report(verdict, () -> examined(all.history(), terms), all, notes, failedClose, running);
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
                        .ifPresent(context -> late.merge(context.name(), 1, Integer::sum)));
        late.forEach((name, buffers) -> notes.add(String.format(
                Locale.ROOT, "%s allocated %s of these after it was over", name, Quantities.count(buffers, "buffer"))));
    }
}
