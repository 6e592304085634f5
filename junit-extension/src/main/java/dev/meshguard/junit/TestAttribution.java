package dev.meshguard.junit;

import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.summary.CheckResult;
import dev.meshguard.junit.internal.summary.RunningCheck;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.Scope;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.List;
import java.util.Optional;

/**
 * What one test takes of a mesh that outlives it, and the check of that when the test is over.
 *
 * <p>A value of the test's store, as the guard of a test with a mesh of its own is.
 *
 * <p>Safe for use by several threads, because a test with a timeout may run on another one than its callbacks.
 */
final class TestAttribution implements StoredResource {

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
            TrackingSession guard,
            AllocationContext tenant,
            ExpectedBuffers expected,
            BudgetCheck budgets,
            CheckPolicy policies,
            TrackedTest test,
            Optional<MethodPromises> promises) {
        this.session = guard;
        this.policies = policies;
        this.expected = expected;
        this.budgets = budgets;
        this.test = test;
        this.promises = promises;
        this.context = tenant;
        this.thread = tenant.makeCurrent();
    }

    /**
     * Opens the account of a test that runs on the calling thread.
     *
     * @param promises what all invocations of its method promise together, if there are several
     */
    static TestAttribution open(
            TrackingSession guard,
            ExpectedBuffers expected,
            BudgetCheck budgets,
            CheckPolicy policies,
            TrackedTest test,
            Optional<MethodPromises> promises) {
        return new TestAttribution(guard, guard.context(test.name()), expected, budgets, policies, test, promises);
    }

    /** Opens the account of a part of this test; what the part takes counts to this test no more. */
    TestAttribution openPart(
            ExpectedBuffers mayStay, BudgetCheck within, TrackedTest part, Optional<MethodPromises> ofAllParts) {
        return new TestAttribution(session, context.context(part.name()), mayStay, within, policies, part, ofAllParts);
    }

    /** Says that code of the test runs on the calling thread until the scope is closed. */
    Scope body() {
        Scope counted = context.makeCurrent();
        Scope running = test.body();
        return () -> {
            running.close();
            counted.close();
        };
    }

    /** Asks the allocators while what the test uses is there. */
    synchronized void bodyEnded() {
        session.read(budgets);
    }

    /** Fails the test if the check does not hold for what it left. */
    @Override
    public void close() {
        if (end()) {
            List<String> notes =
                    policies.waits(test.thrown()) ? session.await(context, this::examined, policies) : List.of();
            judge(notes);
        }
    }

    /** Returns whether this is the first time that it ends. */
    private synchronized boolean end() {
        if (isClosed) {
            return false;
        }
        isClosed = true;
        thread.close();
        return true;
    }

    private synchronized void judge(List<String> notes) {
        context.close();
        if (test.thrown().isPresent()) {
            promises.ifPresent(MethodPromises::giveUp);
        }
        if (context.hasAllocated() || context.mayHaveSurvivors()) {
            try (RunningCheck running = session.run().reporting().numbers().checkOfPart(test.subject())) {
                check(notes, running);
            }
        } else if (judgesPromises()) {
            new MethodPromises(test, expected).close();
        }
    }

    /** One check judges by itself what is promised; who failed may have failed before it was there. */
    private boolean judgesPromises() {
        return promises.isEmpty()
                && policies.check() != AllocationCheck.NONE
                && test.thrown().isEmpty()
                && !MethodPromises.promised(expected).isEmpty();
    }

    /** The history of a mesh grows with every test, and is only read for a test that may have to be told of. */
    private void check(List<String> notes, RunningCheck running) {
        promises.ifPresent(MethodPromises::checked);
        if (context.mayHaveSurvivors() || !budgets.isEmpty() || judgesPromises()) {
            session.judge(
                    context,
                    this::examinedAtTheEnd,
                    new CheckReporter(policies, budgets, session.run(), test, test::page, Optional.empty()),
                    notes,
                    running);
        } else {
            running.became(CheckResult.HELD);
        }
    }

    private LeakVerdict examinedAtTheEnd(AllocationHistory history) {
        LeakVerdict verdict = examined(history);
        promises.ifPresent(ofAll -> ofAll.add(verdict));
        return verdict;
    }

    private LeakVerdict examined(AllocationHistory history) {
        return LeakCheck.create()
                .expecting(judgesPromises() ? expected : expected.forSeveralChecks())
                .examine(history);
    }
}
