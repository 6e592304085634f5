package dev.meshguard.arrow;

import dev.meshguard.tracker.AllocationTracker;
import org.apache.arrow.memory.RootAllocator;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A root allocator that reports each allocation of its tree to a tracker.
 *
 * <p>The memory comes from Arrow's {@code MemoryUtil}, as that of {@code arrow-memory-unsafe} does. A buffer is reported once
 * and freed once, however many vectors, slices and child allocators share it. Its label is the name of the allocator that
 * requested it. Memory that Arrow only wraps, from its C data interface or from another root allocator, is not reported.
 *
 * <p>{@link #close()} does not throw because of memory that is still allocated and reported: the check names its line, Arrow
 * its sum. It throws any other error of Arrow's.
 *
 * <p>Safe for use by several threads, like Arrow's own.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class TrackedRootAllocator extends RootAllocator {

    /** Creates an allocator without a limit that reports to a tracker. */
    public TrackedRootAllocator(AllocationTracker tracker) {
        this(tracker, Long.MAX_VALUE);
    }

    /**
     * Creates an allocator that reports to a tracker.
     *
     * @param limit the maximum of allocated bytes, from 0
     */
    public TrackedRootAllocator(AllocationTracker tracker, long limit) {
        super(RootAllocator.configBuilder()
                .allocationManagerFactory(new TrackedMemory.Factory(tracker))
                .maxAllocation(limit)
                .build());
    }

    /** Closes the allocator. Closing it again does nothing. */
    @Override
    public synchronized void close() {
        try {
            super.close();
        } catch (IllegalStateException ofArrow) {
            if (getAllocatedMemory() == 0) {
                throw ofArrow;
            }
        }
    }
}
