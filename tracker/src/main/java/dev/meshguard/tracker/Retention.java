package dev.meshguard.tracker;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The recorded data that a tracker keeps.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Retention {
    /** Every event: the history holds each buffer's allocation and free. The default. */
    ALL,
    /**
     * Live buffers and totals. Memory use is bounded for a run of any length.
     *
     * <p>The history then holds live buffers and their origins, but no earlier events. The addresses that an allocator
     * lists when a close begins are compared with the live buffers at that moment.
     */
    LIVE_AND_TOTALS
}
