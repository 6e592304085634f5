package dev.meshguard.samples.first;

import static dev.meshguard.assertions.MeshAssertions.assertThat;

import dev.meshguard.samples.support.Accelerator;
import dev.meshguard.samples.support.InMemoryAccelerator;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.BufferType;
import org.junit.jupiter.api.Test;

class OwnDeviceBindingTests {

    /** The adapter: it passes every call on to your binding and tells the tracker. */
    record TrackedAccelerator(Accelerator accelerator, AllocationTracker tracker) implements Accelerator {

        TrackedAccelerator {
            tracker.sourceAttached("accelerator");
        }

        @Override
        public long allocate(int device, long bytes) {
            long address = accelerator.allocate(device, bytes);
            tracker.allocated(device, BufferType.DRAM, address, bytes);
            return address;
        }

        @Override
        public void free(int device, long address) {
            // Told before: once it is free, another thread may be lent the address.
            tracker.freed(device, BufferType.DRAM, address);
            accelerator.free(device, address);
        }
    }

    @Test
    void givesBackWhatItTook() {
        AllocationTracker tracker = AllocationTracker.create();
        Accelerator accelerator = new TrackedAccelerator(new InMemoryAccelerator(), tracker);

        long weights = accelerator.allocate(0, 4096);
        long cache = accelerator.allocate(1, 8192);
        accelerator.free(0, weights);
        accelerator.free(1, cache);

        assertThat(tracker).noLeaks().hasBalancedReports().hasPeakBytes(BufferType.DRAM, 1, 8192);
    }
}
