package dev.meshguard.tracker;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whose stack a tracker takes.
 *
 * <p>A stack costs one to four microseconds and is taken once per request, not once per device; everything else that is
 * recorded costs a few hundredths of that ({@code docs/performance.md}).
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum OriginCapture {
    /**
     * Nobody's: for runs of millions of buffers. Reports that come without any details are then put in order by phase
     * and device only, because threads share no counter.
     */
    NONE,
    /** That of every request for memory, and of every free that finds nothing to free or is watched. The default. */
    ALLOCATIONS,
    /** That of every request for memory and of every free. */
    ALLOCATIONS_AND_FREES
}
