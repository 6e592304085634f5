package dev.meshguard.junit.internal.check;

import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.junit.AllocationCheck;
import dev.meshguard.junit.internal.session.TrackingSession;
import dev.meshguard.junit.internal.thread.FirstNames;
import dev.meshguard.junit.internal.thread.OtherTestFinder;
import dev.meshguard.junit.internal.thread.RunningTest;
import dev.meshguard.junit.internal.thread.UnattributedMemory;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds memory that survived one test and that code of another test had allocated meanwhile, for example in a callback
 * that it registered with a future, and attributes it to no test. Where the memory of no test is not checked, it stays
 * that of the test.
 *
 * <p>Only the stacks of what is still allocated when it is checked are read: to read that of each allocation would double its costs.
 *
 * <p>Safe for use by several threads.
 */
final class OtherTestsMemory {

    private final TrackingSession session;
    /** Where it was allocated, for a reader. The run keeps them, and not the session. */
    private final FirstNames callbacks = new FirstNames();

    private @Nullable AllocationContext ofRun;

    /**
     * A survivor that a callback has allocated.
     *
     * @param callback its code, for a reader
     */
    private record Survivor(BufferGeneration buffer, String callback) {}

    OtherTestsMemory(TrackingSession session) {
        this.session = session;
    }

    /** Returns the history of a test on this mesh, and leaves what callbacks of others have allocated to the mesh. */
    synchronized AllocationHistory partOf(
            AllocationContext context, RunningTest test, CheckTerms terms, LeakCheck check) {
        AllocationHistory all = session.trackerForAll().history();
        if (session.policies().check() == AllocationCheck.NONE) {
            return all.partOf(context);
        }
        leave(survivors(all.partOf(context), buffer -> true, test, terms, check), Optional.empty());
        return all.partOf(context);
    }

    /** Returns the check of the session, and leaves what callbacks of others have allocated to the run, except on its own meshes. */
    synchronized LeakCheck excludedFrom(LeakCheck check, CheckTerms terms) {
        AllocationTracker tracker = session.trackerForAll();
        if (!session.run().checksMemoryOfNobody()) {
            return check;
        }
        List<Survivor> survivors =
                survivors(tracker.history(), buffer -> buffer.mesh().isEmpty(), session.running(), terms, check);
        if (!survivors.isEmpty()) {
            leave(survivors, Optional.of(contextOfRun(tracker)));
        }
        AllocationContext left = ofRun;
        return left == null
                ? check
                : check.excluding(LeakCheck.create().examine(tracker.history().partOf(left)), "the run");
    }

    private AllocationContext contextOfRun(AllocationTracker tracker) {
        AllocationContext existing = ofRun;
        if (existing == null) {
            existing = tracker.context("no test");
            ofRun = existing;
            session.run()
                    .unattributed()
                    .add(UnattributedMemory.ofCallbacks(tracker, existing, session.sourceIds(), callbacks::text));
        }
        return existing;
    }

    /** Returns where callbacks of others have allocated what is left to the check of the session, for a reader. */
    synchronized Optional<String> note() {
        return callbacks.isEmpty() || ofRun != null
                ? Optional.empty()
                : Optional.of("callbacks allocated for no test: " + callbacks.text());
    }

    private List<Survivor> survivors(
            AllocationHistory history,
            Predicate<BufferGeneration> candidates,
            RunningTest test,
            CheckTerms terms,
            LeakCheck check) {
        Optional<Class<?>> type = terms.test().testClass();
        if (type.isEmpty() || !terms.isChecked() || !PendingFrees.hasAny(session.trackerForAll())) {
            return List.of();
        }
        // A check reads the origins, after which the stacks are not whole.
        OtherTestFinder finder = new OtherTestFinder(test, type.get().getClassLoader());
        Map<MemoryRequest, String> others = new HashMap<>();
        history.live().stream()
                .filter(candidates)
                .map(BufferGeneration::request)
                .forEach(request -> finder.otherTest(AllocationTracker.wholeStackOf(request))
                        .ifPresent(other -> others.put(request, other)));
        return others.isEmpty()
                ? List.of()
                : check.unexpectedSurvivors(history).stream()
                        .filter(buffer -> others.containsKey(buffer.request()))
                        .map(buffer -> new Survivor(
                                buffer,
                                "code of " + others.get(buffer.request()) + " in "
                                        + terms.test().name()))
                        .toList();
    }

    private void leave(List<Survivor> survivors, Optional<AllocationContext> context) {
        for (Survivor survivor : survivors) {
            callbacks.add(survivor.callback());
            survivor.buffer()
                    .reportsRemaining()
                    .forEach(report -> session.trackerForAll().move(report.request(), context));
        }
    }
}
