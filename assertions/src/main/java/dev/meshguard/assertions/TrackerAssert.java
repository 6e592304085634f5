package dev.meshguard.assertions;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about the records of a tracker so far.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class TrackerAssert extends AbstractLeakAssert<TrackerAssert, AllocationTracker> {

    TrackerAssert(AllocationTracker actual, FailureSink sink) {
        super(actual, TrackerAssert.class, sink);
    }

    @Override
    AllocationHistory history() {
        isNotNull();
        return actual.history();
    }
}
