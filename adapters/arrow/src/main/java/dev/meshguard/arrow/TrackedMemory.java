package dev.meshguard.arrow;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ReferenceManager;
import org.apache.arrow.memory.util.MemoryUtil;

/** The memory of one allocation, which every buffer over it leads to. */
final class TrackedMemory extends AllocationManager {

    private static final OriginFilter CALLERS = OriginFilter.skipping(
            "org.apache.arrow.", "dev.meshguard.arrow.TrackedMemory", "dev.meshguard.arrow.TrackedRootAllocator");

    private final long address;
    private final long size;
    private final Lease lease;

    private TrackedMemory(AllocationTracker tracker, BufferAllocator allocator, long size) {
        super(allocator);
        this.size = size;
        this.address = MemoryUtil.allocateMemory(size);
        this.lease = tracker.lease(
                        AllocationDetails.user().fromSource(ArrowSource.ID).labelled(allocator.getName()),
                        CALLERS,
                        BufferType.SYSTEM_MEMORY,
                        size)
                .handedOut(this);
    }

    @Override
    public long getSize() {
        return size;
    }

    @Override
    protected long memoryAddress() {
        return address;
    }

    @Override
    protected void release0() {
        MemoryUtil.freeMemory(address);
        lease.freed();
    }

    /** Allocates for a tree of allocators. */
    record Factory(AllocationTracker tracker) implements AllocationManager.Factory {

        @Override
        public AllocationManager create(BufferAllocator allocator, long size) {
            return new TrackedMemory(tracker, allocator, size);
        }

        @Override
        @SuppressWarnings("NullAway") // Arrow's own empty buffers have no manager either.
        public ArrowBuf empty() {
            return new ArrowBuf(ReferenceManager.NO_OP, null, 0, 0);
        }
    }
}
