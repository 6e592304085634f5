package dev.meshguard.ffm;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** An arena that is reported until it is closed. All other factory methods of an arena end in {@link #allocate}. */
final class TrackedArena implements Arena {

    private static final OriginFilter CALLERS =
            OriginFilter.skipping(TrackedArena.class.getName(), Arenas.class.getName());

    private final Arena arena;
    private final Lease lease;
    private final Object sizeLock = new Object();
    private long bytes;

    TrackedArena(Arena arena, String label, AllocationTracker tracker) {
        this.arena = arena;
        this.lease = tracker.lease(
                        AllocationDetails.user().fromSource(FfmSource.ID).labelled(label),
                        CALLERS,
                        BufferType.SYSTEM_MEMORY,
                        0)
                .handedOut(this);
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        MemorySegment segment = arena.allocate(byteSize, byteAlignment);
        synchronized (sizeLock) {
            bytes += byteSize;
            lease.resized(bytes);
        }
        return segment;
    }

    @Override
    public MemorySegment.Scope scope() {
        return arena.scope();
    }

    /** Closes the arena. If the JDK rejects that, the arena stays open, and so does the report of it. */
    @Override
    public void close() {
        boolean wasOpen = arena.scope().isAlive();
        try {
            arena.close();
        } catch (RuntimeException notClosed) {
            if (wasOpen) {
                lease.freeFailed(notClosed);
            }
            throw notClosed;
        }
        lease.freed();
    }
}
