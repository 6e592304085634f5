package dev.meshguard.junit.internal.check;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Counts the buffers that a check still waits for, because code under test should free them while its meshes are open.
 *
 * <p>Expected buffers, runtime-owned buffers and buffers freed with the mesh do not count. Finding these requires
 * judging a history. That happens only while buffers are allocated, and again only when their number changed.
 *
 * <p>For one thread.
 */
final class PendingFrees implements LongSupplier {

    private final AllocationTracker tracker;
    private final BooleanSupplier mayBeMissing;
    private final Supplier<LeakVerdict> examine;
    private long liveWhenCounted = -1;
    private long counted;

    /**
     * Creates a count.
     *
     * @param mayBeMissing whether judging is worthwhile; it is asked at each look
     * @param examine judges the current history
     */
    PendingFrees(AllocationTracker tracker, BooleanSupplier mayBeMissing, Supplier<LeakVerdict> examine) {
        this.tracker = tracker;
        this.mayBeMissing = mayBeMissing;
        this.examine = examine;
    }

    /** Returns whether code under test has any buffer allocated. */
    static boolean hasAny(AllocationTracker tracker) {
        return tracker.liveBuffers() > 0
                && tracker.snapshot().amounts().keySet().stream()
                        .anyMatch(memory -> memory.lifetime() == BufferLifetime.USER);
    }

    /** Returns the buffers of a verdict that the code under test did not free and should have. */
    static List<Survivor> in(LeakVerdict verdict) {
        return verdict.survivors(survivor -> survivor.status() != SurvivorStatus.EXPECTED
                && survivor.status() != SurvivorStatus.FREED_LATE
                && survivor.cause() != Cause.CACHED
                && survivor.cause() != Cause.SYSTEM);
    }

    /**
     * Returns the number of them that only the code under test frees: while a mesh is open, causes are not searched.
     */
    private static long awaitedIn(LeakVerdict verdict) {
        return in(verdict).stream()
                .map(Survivor::buffer)
                .filter(buffer -> buffer.lifetime() == BufferLifetime.USER)
                .filter(buffer -> buffer.owner()
                        .filter(owner -> verdict.history().cachingOf(owner).isPresent())
                        .isEmpty())
                .count();
    }

    @Override
    public long getAsLong() {
        if (!mayBeMissing.getAsBoolean()) {
            return 0;
        }
        long live = tracker.liveBuffers();
        if (live != liveWhenCounted) {
            liveWhenCounted = live;
            counted = awaitedIn(examine.get());
        }
        return counted;
    }
}
