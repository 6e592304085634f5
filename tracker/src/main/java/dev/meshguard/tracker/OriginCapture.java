package dev.meshguard.tracker;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The requests for which a tracker captures the call stack.
 *
 * <p>A stack costs one to four microseconds and is captured once per request, not once per device. All other recording
 * costs a few hundredths of that ({@code docs/internals/performance.md}).
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum OriginCapture {
    /** What the tracker captures if nothing else is chosen: {@link #ALLOCATIONS}. */
    DEFAULT,
    /**
     * No request: for runs of millions of buffers. Reports without any details are then ordered by phase and device
     * only, so that threads which work on a device each give the same history in each run.
     */
    NONE,
    /** Every allocation request, and every free that finds nothing to free or is ignored. */
    ALLOCATIONS,
    /** Every allocation request and every free. */
    ALLOCATIONS_AND_FREES
}
