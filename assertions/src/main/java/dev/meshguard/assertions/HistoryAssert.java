package dev.meshguard.assertions;

import dev.meshguard.tracker.history.AllocationHistory;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about a history.
 *
 * <p>Not final, because AssertJ makes soft assertions of it by a subclass.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public non-sealed class HistoryAssert extends AbstractLeakAssert<HistoryAssert, AllocationHistory> {

    /** Called by AssertJ; use {@link #assertThat(AllocationHistory)}. */
    protected HistoryAssert(AllocationHistory actual) {
        super(actual, HistoryAssert.class);
    }

    /** Starts assertions about a history. */
    public static HistoryAssert assertThat(AllocationHistory actual) {
        return new HistoryAssert(actual);
    }

    @Override
    AllocationHistory history() {
        isNotNull();
        return actual;
    }
}
