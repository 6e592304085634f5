package dev.meshguard.assertions.error;

import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationListener;
import org.assertj.core.error.BasicErrorMessageFactory;

/** The message for a mesh whose listener records no history. */
public final class ShouldReportToTracker extends BasicErrorMessageFactory {

    private ShouldReportToTracker(MeshDevice mesh, AllocationListener listener) {
        super(
                "%nExpecting:%n  %s%nto report to an AllocationTracker, but it reports to a %s, which keeps no history."
                        + "%nOpen it with Ttnn.create(AllocationTracker.create()), or assert on the tracker behind its"
                        + " listener.",
                unquotedString(mesh.toString()),
                unquotedString(listener.getClass().getName()));
    }

    /** Returns the message. */
    public static ShouldReportToTracker shouldReportToTracker(MeshDevice mesh, AllocationListener listener) {
        return new ShouldReportToTracker(mesh, listener);
    }
}
