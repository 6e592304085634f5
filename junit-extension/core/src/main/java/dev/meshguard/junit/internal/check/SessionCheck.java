package dev.meshguard.junit.internal.check;

import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.junit.internal.GracePeriod;
import dev.meshguard.junit.internal.GraceTimer;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.template.TemplateInvocation;
import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.internal.thread.TestInterrupt;
import dev.meshguard.junit.source.SourcePart;
import dev.meshguard.text.Quantities;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Checks the memory of a session when the test, class or run of the session ends.
 *
 * <p>A value of a store: the engine closes it when the test, class or run ends.
 *
 * <p>Safe for use by several threads, because a test with a timeout may run on another thread than its callbacks.
 */
public final class SessionCheck implements StoredResource {

    private final TrackingSession session;
    private final CheckTerms terms;
    private final GraceTimer timer;
    private final Optional<TemplateInvocation> template;
    private final OtherTestsMemory callbacks;
    private final List<PartialVerdict> reported = new CopyOnWriteArrayList<>();

    /** The verdict that was reported for a test on this mesh. */
    private record PartialVerdict(AllocationContext context, LeakVerdict verdict) {}

    SessionCheck(TrackingSession session, CheckTerms terms, GraceTimer timer, Optional<TemplateInvocation> template) {
        this.session = session;
        this.terms = terms;
        this.timer = timer;
        this.template = template;
        this.callbacks = new OtherTestsMemory(session);
    }

    /** Returns the session. */
    public TrackingSession session() {
        return session;
    }

    /** Begins a phase of the test; a second call does nothing, because the extension may be registered twice. */
    public void begin(Phase next) {
        terms.test().begin();
        if (session.begin(next) && next.equals(Phase.TEARDOWN)) {
            terms.budgets().read(session);
        }
    }

    /** Waits for late frees of a test on this mesh, as its policies allow; returns a note if the wait was in vain. */
    Optional<String> await(AllocationContext context, RunningTest test, CheckTerms ofTest) {
        AllocationTracker shared = session.trackerForAll();
        LeakCheck check = LeakCheck.create().expecting(ofTest.expectedByOneCheck());
        return awaitFrees(
                ofTest.policies(),
                new PendingFrees(
                        shared,
                        context::mayHaveSurvivors,
                        () -> check.examine(callbacks.partOf(context, test, ofTest, check))));
    }

    /**
     * Judges the survivors of a test on this mesh; the check of the mesh does not report them again.
     *
     * @param waiting a note on the wait for late frees
     */
    CheckedMemory judge(AllocationContext context, RunningTest test, CheckTerms ofTest, Optional<String> waiting) {
        LeakCheck check = LeakCheck.create().expecting(ofTest.expectedByOneCheck());
        List<String> notes = new ArrayList<>(waiting.stream().toList());
        Supplier<AllocationHistory> part = () -> callbacks.partOf(context, test, ofTest, check);
        searchHandles(session.trackerForAll(), part, check, ofTest).ifPresent(notes::add);
        LeakVerdict verdict = check.examine(part.get());
        if (!verdict.survivors().isEmpty() || !verdict.anomalies().isEmpty()) {
            reported.add(new PartialVerdict(context, verdict));
        }
        return new CheckedMemory(verdict, notes, Optional.empty());
    }

    /** Closes what is still open, and fails the test if a check does not hold. */
    @Override
    public void close() {
        try (Scope noInterrupt = TestInterrupt.suspended();
                Scope bound = session.running().bind()) {
            checkAll();
        } finally {
            session.running().end();
        }
    }

    /** Closes what is still open, and judges a part of the memory only. */
    void closePart(AllocationContext context) {
        FailedChecks failed = new FailedChecks();
        RunningTest test = session.running();
        Optional<String> waiting = await(context, test, terms);
        failed.collect(() -> CheckReporter.of(session, terms).report(() -> {
            TrackingSession.Closed closed = session.close();
            CheckedMemory memory = judge(context, test, terms, waiting);
            return new CheckedMemory(
                    memory.verdict(),
                    Stream.concat(memory.notes().stream(), closed.notes().stream())
                            .toList(),
                    closed.error());
        }));
        failed.throwAll();
    }

    private void checkAll() {
        FailedChecks failed = new FailedChecks();
        TrackingSession.EndedParts ended = session.endParts();
        ended.error().ifPresent(failed::add);
        List<SourcePart> parts = ended.parts();
        int checks = parts.size() + (session.requestedTracker().isPresent() ? 1 : 0);
        CheckTerms asked = checks > 1 ? terms.forSeveralChecks(session.run().summary()) : terms;
        LeakCheck check = LeakCheck.create().expecting(asked.expectedByOneCheck());
        for (int i = 0; i < parts.size(); i++) {
            SourcePart part = parts.get(i);
            CheckReporter reporter = CheckReporter.ofPart(session, asked, part, i + 1);
            failed.collect(() -> reporter.report(() -> judge(part, check)));
        }
        failed.collect(() -> checkTracker(check, asked, checks > 0));
        asked.giveUpUnlessCompleted();
        if (terms.requiredMatches().isEmpty()) {
            asked.requiredMatches().ifPresent(ofAll -> failed.collect(ofAll::report));
        }
        failed.throwAll();
    }

    private CheckedMemory judge(SourcePart part, LeakCheck check) {
        List<String> notes = new ArrayList<>();
        if (!part.hasEnded()) {
            awaitLateFrees(part.tracker(), () -> part.verdict(check)).ifPresent(notes::add);
        }
        terms.budgets().read(session);
        searchHandles(part.tracker(), part::history, check, terms).ifPresent(notes::add);
        LeakVerdict verdict = part.verdict(check);
        notes.addAll(part.notes());
        return new CheckedMemory(verdict, notes, Optional.empty());
    }

    /** Closes what the test left open, and checks the memory of the tracker if the test requested one. */
    private Optional<? extends Throwable> checkTracker(LeakCheck expecting, CheckTerms asked, boolean isUsed) {
        Optional<AllocationTracker> requested = session.requestedTracker();
        CheckReporter reporter = CheckReporter.of(session, asked);
        if (requested.isEmpty()) {
            Optional<RuntimeException> notClosed = session.close().error();
            return notClosed.isPresent() || isUsed ? notClosed : reporter.reportUnused();
        }
        AllocationTracker all = requested.get();
        LeakCheck check = session.besidesUnrequested(withoutReported(expecting));
        return reporter.report(() -> {
            List<String> notes =
                    new ArrayList<>(template.map(TemplateInvocation::notes).orElse(List.of()));
            awaitLateFrees(all, () -> examine(check)).ifPresent(notes::add);
            return closeAndJudge(all, check, notes);
        });
    }

    private LeakVerdict examine(LeakCheck check) {
        return callbacks
                .excludedFrom(check, terms)
                .examine(session.trackerForAll().history());
    }

    private LeakCheck withoutReported(LeakCheck expecting) {
        LeakCheck check = expecting;
        for (PartialVerdict part : reported) {
            check = check.excluding(part.verdict(), part.context().name());
        }
        return check;
    }

    /** Without a lock: a thread that frees late may still need the tracker and the memory of the session. */
    private Optional<String> awaitLateFrees(AllocationTracker watched, Supplier<LeakVerdict> judge) {
        return awaitFrees(terms.policies(), new PendingFrees(watched, () -> PendingFrees.hasAny(watched), judge));
    }

    private Optional<String> awaitFrees(CheckPolicy given, PendingFrees pending) {
        return given.waits()
                ? new GracePeriod(given.grace(), timer).await(() -> {
                    session.poll();
                    return pending.getAsLong();
                })
                : Optional.empty();
    }

    /** Closes what the test left open, and judges it. */
    private CheckedMemory closeAndJudge(AllocationTracker all, LeakCheck check, List<String> waiting) {
        List<String> notes = new ArrayList<>(waiting);
        TrackingSession.Closed closed;
        try {
            terms.budgets().read(session);
            session.poll();
        } finally {
            closed = session.close();
        }
        notes.addAll(closed.notes());
        session.poll();
        searchHandles(all, all::history, callbacks.excludedFrom(check, terms), terms)
                .ifPresent(notes::add);
        LeakVerdict verdict = examine(check);
        if (session.handsOutTracker() && terms.isChecked()) {
            session.run()
                    .keptTrackers()
                    .add(
                            all,
                            verdict.history(),
                            terms.test().name(),
                            terms.test().stack());
        }
        session.running()
                .threadsOfNobody()
                .ifPresent(threads -> notes.add("threads that worked for no test: " + threads));
        callbacks.note().ifPresent(notes::add);
        noteThreadsThatOutlivedTheirTest(verdict, notes);
        return new CheckedMemory(verdict, notes, closed.error());
    }

    /**
     * Records the check, and searches for the handles of survivors before they are judged, so that one verdict names who holds
     * them.
     *
     * <p>A search costs garbage collections. It runs only if a buffer survived that no lifetime, expectation or baseline covers
     * and that the test has not reported itself.
     *
     * @param tracker receives the results; a history that is taken afterwards contains them
     * @param history returns the memory that is judged next
     * @param check the check that judges it
     * @return a note on objects that could not be searched
     */
    private Optional<String> searchHandles(
            AllocationTracker tracker, Supplier<AllocationHistory> history, LeakCheck check, CheckTerms asked) {
        // Frees after this line are late, including those by a collection that the search forces.
        tracker.checked();
        if (!asked.isChecked() || !PendingFrees.hasAny(tracker)) {
            return Optional.empty();
        }
        AllocationHistory memory = history.get();
        AlreadyReportedFindings before = AlreadyReportedFindings.by(asked.test().thrown());
        List<BufferGeneration> survivors = check.unexpectedSurvivors(memory).stream()
                .filter(buffer -> !before.covers(buffer))
                .toList();
        if (survivors.isEmpty() || session.run().covers(survivors)) {
            return Optional.empty();
        }
        session.release(memory);
        List<String> unread =
                asked.test().handleSearch(session.run().endedMethods().types()).trace(tracker, memory);
        return unread.isEmpty()
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "who holds buffers was not looked for in %s, which cannot be read from outside",
                        String.join(", ", unread)));
    }

    /**
     * On a shared mesh, a test was checked before its threads ended. Buffers that these allocated afterwards are found here, and a
     * note names the test.
     */
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
