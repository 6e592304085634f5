package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.internal.thread.TestInterrupt;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.Scope;
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
    private final CheckTerms terms;
    private final AllocationContext context;
    private final RunningTest test;
    private boolean isClosed;

    /** Opens the attribution of a test that has begun. */
    TestAttribution(SessionCheck check, CheckTerms terms, RunningTest test) {
        this.check = check;
        this.session = check.session();
        this.terms = terms;
        this.context = session.context(terms.test().name());
        this.test = test;
        test.attribute(context);
    }

    /** Queries the allocators while the buffers of the test are allocated. */
    public synchronized void bodyEnded() {
        terms.budgets().read(session);
    }

    /** Leaves how free memory lies to the dynamic tests of this factory. */
    synchronized void leaveFreeSpace() {
        terms.budgets().leaveFreeSpace();
    }

    /** Fails the test if the check does not hold for its survivors. */
    @Override
    public void close() {
        if (end()) {
            FailedChecks failed = new FailedChecks();
            try (Scope noInterrupt = TestInterrupt.suspended()) {
                failed.collect(() -> check(check.await(context, test, terms)));
            }
            failed.throwAll();
        }
    }

    /** Returns whether this is the first call. */
    private synchronized boolean end() {
        if (isClosed) {
            return false;
        }
        isClosed = true;
        return true;
    }

    /** The history of a shared mesh grows with every test, so it is read only for a test that may have findings. */
    private synchronized Optional<? extends Throwable> check(Optional<String> waiting) {
        session.poll();
        test.end();
        terms.giveUpUnlessCompleted();
        // No callback has read them for a dynamic test.
        terms.budgets().read(session);
        CheckReporter reporter = CheckReporter.of(session, terms);
        if (!context.hasAllocated()
                && !context.mayHaveSurvivors()
                && !terms.budgets().hasRead()) {
            return reporter.reportUnused();
        }
        if (context.mayHaveSurvivors() || !terms.budgets().isEmpty() || terms.requiresSurvivors()) {
            return reporter.report(() -> check.judge(context, test, terms, waiting));
        }
        reporter.reportLeakFree();
        return Optional.empty();
    }
}
