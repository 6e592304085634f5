package dev.meshguard.junit.internal.check;

import dev.meshguard.junit.internal.StoredResource;
import dev.meshguard.junit.internal.session.TrackingSession;
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
    private final Scope thread;
    private boolean isClosed;

    private TestAttribution(SessionCheck check, AllocationContext context, CheckTerms terms) {
        this.check = check;
        this.session = check.session();
        this.terms = terms;
        this.context = context;
        this.thread = context.makeCurrent();
    }

    /** Opens the attribution of a test that runs on the calling thread. */
    static TestAttribution open(SessionCheck check, CheckTerms terms) {
        return new TestAttribution(check, check.session().context(terms.test().name()), terms);
    }

    /** Opens the attribution of a part of this test; allocations of the part no longer count for this test. */
    TestAttribution openPart(CheckTerms ofPart) {
        return new TestAttribution(check, context.context(ofPart.test().name()), ofPart);
    }

    /** Attributes allocations of the calling thread to the test until the scope is closed. */
    public Scope body() {
        return context.makeCurrent();
    }

    /** Begins the methods of the test, which is not disabled. */
    public void begin() {
        terms.test().begin();
    }

    /** Queries the allocators while the buffers of the test are allocated. */
    public synchronized void bodyEnded() {
        terms.budgets().read(session);
    }

    /** Fails the test if the check does not hold for its survivors. */
    @Override
    public void close() {
        if (end()) {
            FailedChecks failed = new FailedChecks();
            failed.collect(() -> check(check.await(context, terms)));
            failed.throwAll();
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

    /** The history of a shared mesh grows with every test, so it is read only for a test that may have findings. */
    private synchronized Optional<? extends Throwable> check(Optional<String> waiting) {
        session.poll();
        context.close();
        terms.giveUpIfThrown();
        CheckReporter reporter = CheckReporter.of(session, terms);
        if (!context.hasAllocated() && !context.mayHaveSurvivors()) {
            return reporter.reportUnused();
        }
        if (context.mayHaveSurvivors() || !terms.budgets().isEmpty() || terms.requiresSurvivors()) {
            return reporter.report(() -> check.judge(context, terms, waiting));
        }
        reporter.reportLeakFree();
        return Optional.empty();
    }
}
