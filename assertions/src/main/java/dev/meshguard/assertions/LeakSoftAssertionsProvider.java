package dev.meshguard.assertions;

import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.HistorySource;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.assertj.core.api.SoftAssertionsProvider;

/**
 * Adds assertions about device memory to any AssertJ soft assertions.
 *
 * <pre>{@code
 * class MySoftAssertions extends BDDSoftAssertions implements LeakSoftAssertionsProvider {}
 * }</pre>
 *
 * <p>Failures of assertions about memory are collected, including those after {@code survivors()}. Failures of methods
 * inherited from AssertJ's base class, such as {@code isEqualTo}, are thrown at once.
 *
 * <p>If you need no class of your own, use {@link LeakSoftAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface LeakSoftAssertionsProvider extends SoftAssertionsProvider {

    /** Starts soft assertions about the records of a tracker so far. */
    default TrackerAssert assertThat(AllocationTracker actual) {
        return new TrackerAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about a history. */
    default HistoryAssert assertThat(AllocationHistory actual) {
        return new HistoryAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about the history of a source so far, like a mesh or the log of a server. */
    default HistorySourceAssert assertThat(HistorySource actual) {
        return new HistorySourceAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about a verdict. */
    default VerdictAssert assertThat(LeakVerdict actual) {
        return new VerdictAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about a memory that had no room for a request. */
    default MemoryShortageAssert assertThat(MemoryShortage actual) {
        return new MemoryShortageAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about the survivors of rounds. */
    default AccumulationAssert assertThat(Accumulation actual) {
        return new AccumulationAssert(actual, FailureSink.collecting(this));
    }
}
