package dev.meshguard.assertions;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.MemorySnapshot;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.Books;
import dev.meshguard.verdict.LeakVerdict;
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
 * <p>Whoever wants no class of their own takes {@link MeshSoftAssertions}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface MeshSoftAssertionsProvider extends SoftAssertionsProvider {

    /** Starts soft assertions about what a tracker has recorded by now. */
    default TrackerAssert assertThat(AllocationTracker actual) {
        return navigatingSoftly(proxy(TrackerAssert.class, AllocationTracker.class, actual));
    }

    /** Starts soft assertions about a history. */
    default HistoryAssert assertThat(AllocationHistory actual) {
        return navigatingSoftly(proxy(HistoryAssert.class, AllocationHistory.class, actual));
    }

    /** Starts soft assertions about a verdict. */
    default VerdictAssert assertThat(LeakVerdict actual) {
        return navigatingSoftly(proxy(VerdictAssert.class, LeakVerdict.class, actual));
    }

    /** Starts soft assertions about everything that the tracker of a mesh has recorded by now. */
    default MeshAssert assertThat(MeshDevice actual) {
        return navigatingSoftly(proxy(MeshAssert.class, MeshDevice.class, actual));
    }

    /** Starts soft assertions about what was allocated at one moment, or came between two. */
    default SnapshotAssert assertThat(MemorySnapshot actual) {
        return proxy(SnapshotAssert.class, MemorySnapshot.class, actual);
    }

    /** Starts soft assertions about what the reports of a history add up to. */
    default BooksAssert assertThat(Books actual) {
        return proxy(BooksAssert.class, Books.class, actual);
    }

    private <A extends AbstractLeakAssert<A, ?>> A navigatingSoftly(A soft) {
        AbstractLeakAssert<A, ?> start = soft;
        start.navigation = Navigation.soft(this);
        return soft;
    }
}
