package dev.meshguard.assertions;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.history.AllocationHistory;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about what a tracker has recorded by now.
 *
 * <p>Not final, because AssertJ makes soft assertions of it by a subclass.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public non-sealed class TrackerAssert extends AbstractLeakAssert<TrackerAssert, AllocationTracker> {

    /** Called by AssertJ; use {@link #assertThat(AllocationTracker)}. */
    protected TrackerAssert(AllocationTracker actual) {
        super(actual, TrackerAssert.class);
    }

    /** Starts assertions about what a tracker has recorded by now. */
    public static TrackerAssert assertThat(AllocationTracker actual) {
        return new TrackerAssert(actual);
    }

    @Override
    AllocationHistory history() {
        isNotNull();
        return actual.history();
    }
}
