package dev.meshguard.junit.testkit;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;

/** Memory that is never freed, without a mesh. */
public final class Survivors {

    private Survivors() {}

    /** Returns the history of labelled buffers, one on each of several devices. */
    public static AllocationHistory on(int devices, BufferType type, long bytes, String label) {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        for (int device = 0; device < devices; device++) {
            tracker.allocated(
                    tracker.request(AllocationDetails.user().labelled(label)),
                    device,
                    type,
                    4_096,
                    bytes,
                    Ownership.OWNING);
        }
        return tracker.history();
    }
}
