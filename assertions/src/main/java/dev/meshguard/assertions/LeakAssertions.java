package dev.meshguard.assertions;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.MemorySnapshot;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.HistorySource;
import dev.meshguard.tracker.history.PolicyLedger;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Entry point of all assertions about device memory.
 *
 * <p>Inherits nothing, so that its one static import and AssertJ's stand side by side:
 *
 * <pre>{@code
 * import static dev.meshguard.assertions.LeakAssertions.assertThat;
 *
 * assertThat(tracker).noLeaks().hasBalancedReports();
 * }</pre>
 *
 * <p>Every assert class has the same {@code assertThat} for whoever wants one of them only. For assertions that are
 * reported together see {@link LeakSoftAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class LeakAssertions {

    private LeakAssertions() {}

    /** Starts assertions about what a tracker has recorded by now. */
    public static TrackerAssert assertThat(AllocationTracker actual) {
        return TrackerAssert.assertThat(actual);
    }

    /** Starts assertions about a history. */
    public static HistoryAssert assertThat(AllocationHistory actual) {
        return HistoryAssert.assertThat(actual);
    }

    /** Starts assertions about the history that something tells, like the log of a server. */
    public static HistoryAssert assertThat(HistorySource actual) {
        return HistoryAssert.assertThat(actual.history());
    }

    /** Starts assertions about a verdict. */
    public static VerdictAssert assertThat(LeakVerdict actual) {
        return VerdictAssert.assertThat(actual);
    }

    /** Starts assertions about everything that the tracker of a mesh has recorded by now. */
    public static MeshAssert assertThat(MeshDevice actual) {
        return MeshAssert.assertThat(actual);
    }

    /** Starts assertions about what was allocated at one moment, or came between two. */
    public static SnapshotAssert assertThat(MemorySnapshot actual) {
        return SnapshotAssert.assertThat(actual);
    }

    /** Starts assertions about what the reports of a history add up to. */
    public static LedgerAssert assertThat(PolicyLedger actual) {
        return LedgerAssert.assertThat(actual);
    }

    /** Starts assertions about what rounds left behind. */
    public static AccumulationAssert assertThat(Accumulation actual) {
        return AccumulationAssert.assertThat(actual);
    }

    /**
     * Starts assertions about what rounds left behind of which each has a history of its own, in the order of the list.
     *
     * <pre>{@code
     * assertThatRounds(histories).doesNotGrow();
     * }</pre>
     *
     * @throws IllegalArgumentException if two histories were taken from one tracker
     */
    public static AccumulationAssert assertThatRounds(List<AllocationHistory> histories) {
        return AccumulationAssert.assertThat(Accumulation.ofSeparate(histories));
    }
}
