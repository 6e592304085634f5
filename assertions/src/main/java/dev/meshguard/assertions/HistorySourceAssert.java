package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldHaveHistory.shouldHaveHistory;

import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.HistorySource;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Assertions about the history of a source so far, for example of a mesh or of a server's log.
 *
 * <p>The history of a mesh is that of its tracker: buffers of other meshes with the same tracker count too. On an open
 * mesh {@link #noLeaks()} fails with a message, because its buffers may still be freed.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class HistorySourceAssert extends AbstractLeakAssert<HistorySourceAssert, HistorySource> {

    HistorySourceAssert(HistorySource actual, FailureSink sink) {
        super(actual, HistorySourceAssert.class, sink);
    }

    @Override
    AllocationHistory history() {
        isNotNull();
        try {
            return actual.history();
        } catch (IllegalStateException unrecorded) {
            throw assertionError(shouldHaveHistory(unrecorded));
        }
    }

    @Override
    List<FreeSpace> freeSpace() {
        return actual.freeSpace();
    }
}
