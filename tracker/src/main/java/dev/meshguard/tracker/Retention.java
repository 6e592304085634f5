package dev.meshguard.tracker;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What a tracker keeps of what it heard.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Retention {
    /** Every event: the history tells each buffer's whole life. The default. */
    ALL,
    /**
     * Live buffers and totals: memory use stays bounded however long the run is. The history then knows what is live
     * and where it came from, not what happened before. What an allocator holds when a close begins is compared with the live buffers at
     * that moment.
     */
    LIVE_AND_TOTALS
}
