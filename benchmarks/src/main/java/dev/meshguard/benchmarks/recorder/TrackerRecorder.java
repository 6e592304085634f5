package dev.meshguard.benchmarks.recorder;

import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.BufferType;

/** MeshGuard. */
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
}
