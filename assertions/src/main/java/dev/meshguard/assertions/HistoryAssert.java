package dev.meshguard.assertions;

import dev.meshguard.history.AllocationHistory;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about a history.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class HistoryAssert extends AbstractLeakAssert<HistoryAssert, AllocationHistory> {

    HistoryAssert(AllocationHistory actual, FailureSink sink) {
        super(actual, HistoryAssert.class, sink);
    }

    @Override
    AllocationHistory history() {
        isNotNull();
        return actual;
    }
}
