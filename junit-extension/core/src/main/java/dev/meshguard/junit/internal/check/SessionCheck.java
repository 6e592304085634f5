package dev.meshguard.junit.internal.check;

import dev.meshguard.event.Phase;
import dev.meshguard.event.Quantities;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.SharedRunState;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.config.ConfigurationCache;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.summary.CheckOutcome;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.junit.internal.summary.RunSummaryCollector.RunningCheck;
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

    /** Waits for late frees of a test on this mesh, as its policies allow; returns a note if the wait was in vain. */
    Optional<String> await(AllocationContext context, CheckPolicy ofTest, LeakCheck check) {
        AllocationTracker shared = session.trackerForAll();
        return awaitFrees(
                ofTest,
                new PendingFrees(
                        shared,
                        context::mayHaveSurvivors,
                        () -> check.examine(shared.history().partOf(context))));
    }

    /**
     * Judges the survivors of a test on this mesh; the check of the mesh does not report them again.
     *
     * @param notes notes on the end of the test
     */
    CheckedMemory judge(AllocationContext context, HandleTracing handles, LeakCheck check, List<String> notes) {
        AllocationTracker shared = session.trackerForAll();
        shared.checked();
        List<String> all = new ArrayList<>(notes);
        if (context.mayHaveSurvivors()) {
            handles.search(shared, () -> shared.history().partOf(context), check)
                    .ifPresent(all::add);
        }
        LeakVerdict verdict = check.examine(shared.history().partOf(context));
        if (!verdict.survivors().isEmpty() || !verdict.anomalies().isEmpty()) {
            reported.add(new PartialVerdict(context, verdict));
        }
        return new CheckedMemory(verdict, all, Optional.empty());
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
        TrackingSession.EndedParts parts = session.endParts();
        parts.error().ifPresent(failed::add);
        MethodPromises ofAll = promises.orElseGet(() -> new MethodPromises(test, applicableEntries()));
        int checks = parts.parts().size() + (session.requestedTracker().isPresent() ? 1 : 0);
        boolean isAlone = promises.isEmpty() && checks == 1;
        Terms terms = new Terms(isAlone ? applicableEntries() : expected.forSeveralChecks(), ofAll);
        for (int i = 0; i < parts.parts().size(); i++) {
            SourcePart part = parts.parts().get(i);
            int number = i + 1;
            failed.collect(() -> checkPart(part, number, terms));
        }
        failed.collect(() -> {
            checkTracker(terms);
            if (checks == 0) {
                reportUntracked();
            }
        });
        if (test.thrown().isPresent()) {
            ofAll.giveUp();
        }
        if (promises.isEmpty() && !isAlone) {
            failed.collect(ofAll::close);
        }
        failed.throwAll();
    }

    /** Required entries apply only to a test that completed and whose memory is checked. */
    private ExpectedBuffers applicableEntries() {
        boolean isRequired =
                policies.check() != AllocationCheck.NONE && test.thrown().isEmpty();
        return isRequired ? expected : expected.forSeveralChecks();
    }

    /**
     * The expectations of one check.
     *
     * @param expected the expected buffers
     * @param promises the combined expectations of all checks of the method
     */
    private record Terms(ExpectedBuffers expected, MethodPromises promises) {

        /** Counts a check and what it found, and returns its verdict. */
        LeakVerdict counted(LeakVerdict verdict) {
            promises.checked();
            promises.add(verdict);
            return verdict;
        }
    }

    /** A test that requested nothing leaks nothing: only if that is recorded, an earlier leak of it is gone. */
    private void reportUntracked() {
        boolean isStale = promises.isEmpty()
                && !MethodPromises.promised(applicableEntries()).isEmpty();
        CheckReporter.of(session, test, policies, budgets)
                .reportUnjudged(
                        isStale ? Outcome.STALE_EXPECTATION : Outcome.LEAK_FREE,
                        isStale ? CheckOutcome.FAILED : CheckOutcome.PASSED);
    }

    private void checkPart(SourcePart part, int number, Terms terms) {
        LeakCheck check = LeakCheck.create().expecting(terms.expected());
        List<String> notes = new ArrayList<>();
        if (!part.hasEnded()) {
            awaitLateFrees(part.tracker(), () -> part.verdict(check)).ifPresent(notes::add);
        }
        try (RunningCheck running = run.reporting().summary().checkOfTracker(test.subjectOf(part))) {
            budgets.readUnlessRead(session);
            part.tracker().checked();
            handles().search(part.tracker(), part::history, check).ifPresent(notes::add);
            LeakVerdict verdict = terms.counted(part.verdict(check));
            notes.addAll(part.notes());
            CheckReporter.ofPart(session, budgets, part, number)
                    .report(new CheckedMemory(verdict, notes, Optional.empty()), running);
        }
    }

    private HandleTracing handles() {
        return new HandleTracing(session, test, policies);
    }

    /** Closes what the test left open, and checks the memory of the tracker if the test requested one. */
    private void checkTracker(Terms terms) {
        List<String> notes =
                new ArrayList<>(template.map(TemplateInvocation::notes).orElse(List.of()));
        Optional<AllocationTracker> requested = session.requestedTracker();
        if (requested.isEmpty()) {
            session.close().throwError();
            return;
        }
        AllocationTracker all = requested.get();
        awaitLateFrees(all, () -> leakCheck(terms).examine(all.history())).ifPresent(notes::add);
        try (RunningCheck running = run.reporting().summary().checkOfTracker(subject.computeIfAbsent(test::subject))) {
            CheckedMemory memory = closeAndJudge(all, terms, notes);
            CheckReporter.of(session, test, policies, budgets).report(memory, running);
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

    /** Closes what the test left open, and judges it. */
    private CheckedMemory closeAndJudge(AllocationTracker all, Terms terms, List<String> waiting) {
        List<String> notes = new ArrayList<>(waiting);
        TrackingSession.Closed closed;
        try {
            budgets.readUnlessRead(session);
            session.poll();
        } finally {
            closed = session.close();
        }
        notes.addAll(closed.notes());
        session.poll();
        // Frees after this line are late, including those by a collection that a search for handles forces.
        all.checked();
        LeakCheck check = leakCheck(terms);
        handles().search(all, all::history, check).ifPresent(notes::add);
        LeakVerdict verdict = terms.counted(check.examine(all.history()));
        if (session.handsOutTracker() && policies.check() != AllocationCheck.NONE) {
            run.keptTrackers().add(all, verdict.history(), test.name(), test.stack());
        }
        noteThreadsThatOutlivedTheirTest(verdict, notes);
        return new CheckedMemory(verdict, notes, closed.error());
    }

    private LeakCheck leakCheck(Terms terms) {
        LeakCheck check = LeakCheck.create().expecting(terms.expected());
        for (PartialVerdict part : reported) {
            check = check.excluding(part.verdict(), part.context().name());
        }
        return check;
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
