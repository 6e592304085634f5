package dev.meshguard.samples.first;

import static dev.meshguard.assertions.LeakAssertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import org.junit.jupiter.api.Test;

class OwnDeviceBindingTests {

    /** Represents your binding; it returns increasing addresses. */
    static class Accelerator {
        private long next = 0x1000;

        long allocate(int device, long bytes) {
            long address = next;
            next += bytes;
            return address;
        }

        void free(int device, long address) {}
    }

    /** The adapter: it passes every call on to your binding and reports it to the tracker. */
    static final class TrackedAccelerator extends Accelerator {
        private final AllocationTracker tracker;

        TrackedAccelerator(AllocationTracker tracker) {
            this.tracker = tracker;
            tracker.sourceAttached("accelerator");
        }

        @Override
        synchronized long allocate(int device, long bytes) {
            long address = super.allocate(device, bytes);
            tracker.allocated(device, BufferType.DRAM, address, bytes);
            return address;
        }

        @Override
        synchronized void free(int device, long address) {
            super.free(device, address);
            // Reported if it succeeded; the lock keeps the address from being given to another thread before.
            tracker.freed(device, BufferType.DRAM, address);
        }
    }

    @Test
    void freesWhatItAllocates() {
        AllocationTracker tracker = AllocationTracker.create();
        Accelerator accelerator = new TrackedAccelerator(tracker);

        long weights = accelerator.allocate(0, 4096);
        long cache = accelerator.allocate(1, 8192);
        accelerator.free(0, weights);
        accelerator.free(1, cache);

        assertThat(tracker).noLeaks().hasBalancedReports().hasPeakBytes(BufferType.DRAM, 1, 8192);
    }
}
