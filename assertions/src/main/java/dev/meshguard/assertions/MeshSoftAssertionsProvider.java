package dev.meshguard.assertions;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.MemorySnapshot;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.HistorySource;
import dev.meshguard.tracker.history.PolicyLedger;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.growth.Accumulation;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.assertj.core.api.SoftAssertionsProvider;

/**
 * Adds soft assertions about device memory to any of AssertJ's soft assertions.
 *
 * <pre>{@code
 * class MySoftAssertions extends BDDSoftAssertions implements MeshSoftAssertionsProvider {}
 * }</pre>
 *
 * <p>What these asserts verify of memory is collected, and so is what follows {@code survivors()} and {@code books(…)}; what
 * they inherit from every assert of AssertJ, such as {@code isEqualTo}, is thrown at once.
 *
 * <p>Whoever wants no class of their own takes {@link LeakSoftAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface MeshSoftAssertionsProvider extends SoftAssertionsProvider {

    /** Starts soft assertions about what a tracker has recorded by now. */
    default TrackerAssert assertThat(AllocationTracker actual) {
        return new TrackerAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about a history. */
    default HistoryAssert assertThat(AllocationHistory actual) {
        return new HistoryAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about the history that something tells, like the log of a server. */
    default HistoryAssert assertThat(HistorySource actual) {
        return assertThat(actual.history());
    }

    /** Starts soft assertions about a verdict. */
    default VerdictAssert assertThat(LeakVerdict actual) {
        return new VerdictAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about everything that the tracker of a mesh has recorded by now. */
    default MeshAssert assertThat(MeshDevice actual) {
        return new MeshAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about what was allocated at one moment, or came between two. */
    default SnapshotAssert assertThat(MemorySnapshot actual) {
        return new SnapshotAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about what the reports of a history add up to. */
    default LedgerAssert assertThat(PolicyLedger actual) {
        return new LedgerAssert(actual, FailureSink.collecting(this));
    }

    /** Starts soft assertions about what rounds left behind. */
    default AccumulationAssert assertThat(Accumulation actual) {
        return new AccumulationAssert(actual, FailureSink.collecting(this));
    }
}
