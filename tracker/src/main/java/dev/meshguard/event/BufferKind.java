package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whether the device's allocator knows a buffer.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BufferKind {
    /** A buffer of the device's allocator: no two live ones share a byte. */
    BUFFER,
    /**
     * A circular buffer of a program. The runtime places it in L1 outside the allocator
     * ({@code tt_metal/impl/program/program.cpp}), so two programs may use the same addresses at the same time, and the
     * allocator cannot say whether it is live.
     */
    CIRCULAR_BUFFER,
    /**
     * No buffer at all: a report that a source sends to show that its reports arrive. It takes no memory and is left out of every
     * count, sum and text; see {@link dev.meshguard.tracker.AllocationListener#canaryPlanted}.
     */
    CANARY
}
