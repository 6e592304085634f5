package dev.meshguard.assertions;

import dev.meshguard.event.shortage.MemoryShortage;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.HistorySource;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Entry point of all assertions about device memory.
 *
 * <p>Inherits nothing, so its static import and AssertJ's can be used together:
 *
 * <pre>{@code
 * import static dev.meshguard.assertions.LeakAssertions.assertThat;
 *
 * assertThat(tracker).noLeaks().hasBalancedReports();
 * }</pre>
 *
 * <p>For assertions that are reported together see {@link LeakSoftAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class LeakAssertions {

    private LeakAssertions() {}

    /** Starts assertions about the records of a tracker so far. */
    public static TrackerAssert assertThat(AllocationTracker actual) {
        return new TrackerAssert(actual, FailureSink.throwing());
    }

    /** Starts assertions about a history. */
    public static HistoryAssert assertThat(AllocationHistory actual) {
        return new HistoryAssert(actual, FailureSink.throwing());
    }

    /**
     * Starts assertions about the history of a source so far, like a mesh or the log of a server. Each assertion fails if the source
     * has no history.
     *
     * <pre>{@code
     * MeshDevice tracked = Ttnn.create(AllocationTracker.create()).openMeshDevice();
     * assertThat(tracked).hasLiveBuffers(0); // succeeds
     *
     * MeshDevice other = Ttnn.create(myOwnListener).openMeshDevice();
     * assertThat(other).hasLiveBuffers(0); // fails: nothing was recorded
     * }</pre>
     */
    public static HistorySourceAssert assertThat(HistorySource actual) {
        return new HistorySourceAssert(actual, FailureSink.throwing());
    }

    /** Starts assertions about a verdict. */
    public static VerdictAssert assertThat(LeakVerdict actual) {
        return new VerdictAssert(actual, FailureSink.throwing());
    }

    /** Starts assertions about a memory that had no room for a request. */
    public static MemoryShortageAssert assertThat(MemoryShortage actual) {
        return new MemoryShortageAssert(actual, FailureSink.throwing());
    }

    /** Starts assertions about the survivors of rounds. */
    public static AccumulationAssert assertThat(Accumulation actual) {
        return new AccumulationAssert(actual, FailureSink.throwing());
    }
}
