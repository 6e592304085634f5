package dev.meshguard.benchmarks.recorder;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;

/** Records with MeshGuard. */
final class TrackerRecorder implements Recorder {

    private final AllocationTracker tracker;

    TrackerRecorder(AllocationTracker tracker) {
        this.tracker = tracker;
    }

    @Override
    public Lane lane(int device, int buffers) {
        long[] addresses = Addresses.shuffled(buffers);
        return new Lane() {
            @Override
            public void allocate(int buffer) {
                tracker.allocated(device, BufferType.DRAM, addresses[buffer], 4_096);
            }

            @Override
            public void free(int buffer) {
                tracker.freed(device, BufferType.DRAM, addresses[buffer]);
            }
        };
    }

    /** One request for all devices, as a mesh makes it. */
    @Override
    public Lane mesh(int devices, int buffers) {
        long[] addresses = Addresses.shuffled(buffers);
        return new Lane() {
            @Override
            public void allocate(int buffer) {
                MemoryRequest request = tracker.request(AllocationDetails.user());
                for (int device = 0; device < devices; device++) {
                    tracker.allocated(request, device, BufferType.DRAM, addresses[buffer], 4_096, Ownership.NON_OWNING);
                }
            }

            @Override
            public void free(int buffer) {
                MemoryRequest release = tracker.release(AllocationDetails.user());
                for (int device = 0; device < devices; device++) {
                    tracker.freed(release, device, BufferType.DRAM, addresses[buffer], Ownership.NON_OWNING);
                }
            }
        };
    }
}
