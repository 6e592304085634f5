package dev.meshguard.junit.testkit;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import java.util.Objects;

/**
 * The tracker of a test of a run, for texts without a verdict that name events of its history.
 *
 * <p>A run executes its tests on the thread of its caller, so other runs do not replace the tracker.
 */
public final class TestTrackers {

    private static final ThreadLocal<AllocationTracker> TRACKER = new ThreadLocal<>();

    private TestTrackers() {}

    /** Keeps the tracker of the test that calls it. */
    public static void keep(AllocationTracker tracker) {
        TRACKER.set(tracker);
    }

    /** Returns the history of the tracker that a test of this thread kept last. */
    public static AllocationHistory keptHistory() {
        return Objects.requireNonNull(TRACKER.get(), "No test of this thread kept its tracker")
                .history();
    }
}
