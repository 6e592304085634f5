package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.config.CheckPolicy;
import dev.meshguard.junit.internal.session.TrackedTest;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.summary.CheckOutcome;
import dev.meshguard.junit.internal.summary.RunSummaryCollector.RunningCheck;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.Optional;

/**
 * The allocations of one test on a mesh that outlives it, and their check when the test ends.
 *
 * <p>A value of the test's store, like the session of a test with a mesh of its own.
 *
 * <p>Safe for use by several threads, because a test with a timeout may run on another thread than its callbacks.
 */
public final class TestAttribution implements StoredResource {

    private final SessionCheck check;
    private final TrackingSession session;
    private final ExpectedBuffers expected;
    private final BudgetCheck budgets;
    private final CheckPolicy policies;
    private final TrackedTest test;
    private final Optional<MethodPromises> promises;
    private final AllocationContext context;
    private final Scope thread;
    private boolean isClosed;

    private TestAttribution(
            SessionCheck check,
            AllocationContext context,
            ExpectedBuffers expected,
            BudgetCheck budgets,
            CheckPolicy policies,
            TrackedTest test,
            Optional<MethodPromises> promises) {
        this.check = check;
        this.session = check.session();
        this.policies = policies;
        this.expected = expected;
        this.budgets = budgets;
        this.test = test;
        this.promises = promises;
        this.context = context;
        this.thread = context.makeCurrent();
    }

    /**
     * Opens the attribution of a test that runs on the calling thread.
     *
     * @param promises the combined expectations of all invocations of its method, if there are several
     */
    static TestAttribution open(
            SessionCheck check,
            ExpectedBuffers expected,
            BudgetCheck budgets,
            CheckPolicy policies,
            TrackedTest test,
            Optional<MethodPromises> promises) {
        return new TestAttribution(
                check, check.session().context(test.name()), expected, budgets, policies, test, promises);
    }

    /** Opens the attribution of a part of this test; allocations of the part no longer count for this test. */
    TestAttribution openPart(
            ExpectedBuffers ofPart, BudgetCheck within, TrackedTest part, Optional<MethodPromises> ofAllParts) {
        return new TestAttribution(check, context.context(part.name()), ofPart, within, policies, part, ofAllParts);
    }

    /** Marks the calling thread as running code of the test until the scope is closed. */
    public Scope body() {
        Scope counted = context.makeCurrent();
        Scope running = test.body();
        return () -> {
            running.close();
            counted.close();
        };
    }

    /** Queries the allocators while the buffers of the test are allocated. */
    public synchronized void bodyEnded() {
        budgets.read(session);
    }

    /** Fails the test if the check does not hold for its survivors. */
    @Override
    public void close() {
        if (end()) {
            judge(
                    policies.waits()
                            ? check.await(context, policies, leakCheck()).stream()
                                    .toList()
                            : List.of());
        }
    }

    /** Returns whether this is the first call. */
    private synchronized boolean end() {
        if (isClosed) {
            return false;
        }
        isClosed = true;
        thread.close();
        return true;
    }

    private synchronized void judge(List<String> notes) {
        session.poll();
        context.close();
        if (test.thrown().isPresent()) {
            promises.ifPresent(MethodPromises::giveUp);
        }
        if (context.hasAllocated() || context.mayHaveSurvivors()) {
            try (RunningCheck running = session.run().reporting().summary().checkOfContext(test.subject())) {
                check(notes, running);
            }
        } else if (judgesPromises()) {
            reporter().reportUnjudged(Outcome.STALE_EXPECTATION, CheckOutcome.FAILED);
            new MethodPromises(test, expected).close();
        } else {
            reporter().reportUnjudged(Outcome.LEAK_FREE, CheckOutcome.PASSED);
        }
    }

    /** A single check judges the required expectations itself; a test that failed may not have allocated yet. */
    private boolean judgesPromises() {
        return promises.isEmpty()
                && policies.check() != AllocationCheck.NONE
                && test.thrown().isEmpty()
                && !MethodPromises.promised(expected).isEmpty();
    }

    /** The history of a shared mesh grows with every test, so it is read only for a test that may have findings. */
    private void check(List<String> notes, RunningCheck running) {
        promises.ifPresent(MethodPromises::checked);
        if (context.mayHaveSurvivors() || !budgets.isEmpty() || judgesPromises()) {
            CheckedMemory memory = check.judge(context, new HandleTracing(session, test, policies), leakCheck(), notes);
            promises.ifPresent(ofAll -> ofAll.add(memory.verdict()));
            reporter().report(memory, running);
        } else {
            running.became(CheckOutcome.PASSED);
            reporter().reportUnjudged(Outcome.LEAK_FREE, CheckOutcome.PASSED);
        }
    }

    private CheckReporter reporter() {
        return CheckReporter.of(session, test, policies, budgets);
    }

    private LeakCheck leakCheck() {
        return LeakCheck.create().expecting(judgesPromises() ? expected : expected.forSeveralChecks());
    }
}
