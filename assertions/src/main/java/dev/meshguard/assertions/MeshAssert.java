package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldReportToTracker.shouldReportToTracker;

import dev.meshguard.event.FreeSpace;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.history.AllocationHistory;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about all records so far of a mesh's tracker.
 *
 * <p>Short for assertions on the mesh's tracker: buffers of other meshes with the same tracker count too. On an open
 * mesh {@link #noLeaks()} fails with a message, because its buffers may still be freed.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class MeshAssert extends AbstractLeakAssert<MeshAssert, MeshDevice> {

    MeshAssert(MeshDevice actual, FailureSink sink) {
        super(actual, MeshAssert.class, sink);
    }

    /**
     * Starts assertions about all records so far of a mesh's tracker.
     *
     * <pre>{@code
     * MeshDevice tracked = Ttnn.create(AllocationTracker.create()).openMeshDevice();
     * assertThat(tracked).hasLiveBuffers(0); // succeeds
     *
     * MeshDevice other = Ttnn.create(myOwnListener).openMeshDevice();
     * assertThat(other).hasLiveBuffers(0); // fails: nothing was recorded
     * }</pre>
     */
    public static MeshAssert assertThat(MeshDevice actual) {
        return new MeshAssert(actual, FailureSink.throwing());
    }

    @Override
    AllocationHistory history() {
        isNotNull();
        if (actual.listener() instanceof AllocationTracker tracker) {
            return tracker.history();
        }
        throw assertionError(shouldReportToTracker(actual, actual.listener()));
    }

    @Override
    List<FreeSpace> allocatorReadings() {
        return actual.isOpen() ? actual.allocatorReadings() : List.of();
    }
}
