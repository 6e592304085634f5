package dev.meshguard.samples.bindings;

import static dev.meshguard.event.BufferType.DRAM;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import java.nio.ByteBuffer;

// region: adapter
/** The adapter: it passes every call on to the binding and reports it to the tracker. */
record TrackedDevice(Device device, int id, AllocationTracker tracker) implements Device {

    private static final OriginFilter CALLERS = OriginFilter.skipping(TrackedDevice.class);

    TrackedDevice {
        tracker.sourceAttached("device " + id);
    }

    @Override
    public Memory allocate(int bytes) {
        Memory memory = device.allocate(bytes);
        MemoryRequest request = tracker.request(AllocationDetails.user(), CALLERS);
        tracker.allocated(request, id, DRAM, memory.address(), bytes, Ownership.OWNING);
        Memory tracked = new TrackedMemory(this, memory, request);
        tracker.handleReturned(request, tracked);
        return tracked;
    }

    private record TrackedMemory(TrackedDevice owner, Memory memory, MemoryRequest request) implements Memory {

        @Override
        public void close() {
            // Reported first: once it is freed, another thread may allocate the same address.
            int bytes = bytes().capacity();
            owner.tracker.freed(owner.id, DRAM, address());
            try {
                memory.close();
            } catch (RuntimeException notFreed) {
                owner.tracker.allocated(request, owner.id, DRAM, address(), bytes, Ownership.OWNING);
                throw notFreed;
            }
        }

        @Override
        public long address() {
            return memory.address();
        }

        @Override
        public ByteBuffer bytes() {
            return memory.bytes();
        }
    }
}
// end region
