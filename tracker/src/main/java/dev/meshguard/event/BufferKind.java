package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The kind of a buffer, which decides whether the device's allocator knows it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BufferKind {
    /** A buffer of the device's allocator. No two live ones share a byte. */
    BUFFER,
    /**
     * A circular buffer of a program.
     *
     * <p>The runtime places it in L1 outside the allocator ({@code tt_metal/impl/program/program.cpp}). Two programs
     * may therefore use the same addresses at the same time, and the allocator does not know whether it is live.
     */
    CIRCULAR_BUFFER
}
