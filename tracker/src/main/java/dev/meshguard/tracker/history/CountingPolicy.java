package dev.meshguard.tracker.history;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * How several reports at one live address are added up.
 *
 * <p>The field has used four ways, and every one of them misleads somewhere; a policy is only a reading of a history, so
 * one history can be read in all of them. See {@link AllocationHistory#ledger(CountingPolicy)}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum CountingPolicy {
    /**
     * A report at a live address counts one more reference; first size, type and owner stay. The rule of the
     * allocation server. It misleads where one physical buffer is reported twice and only one free is: the entry stays
     * although the memory is gone.
     */
    REFERENCE_COUNTED,
    /**
     * A report at a live address overwrites the entry and is added to size and count again; the first free removes the
     * entry, the second is unknown. The tracker before reference counts. It misleads wherever one address is
     * reported twice: bytes drift upwards for good.
     */
    EVERY_REPORT,
    /**
     * A report at a live address is ignored. It misleads where a view is freed before the buffer it looks at: the
     * entry goes although the memory is still taken.
     */
    ONCE_PER_ADDRESS,
    /**
     * Reports of objects that do not own their memory are left out, the rest is reference counted. It misleads on a
     * mesh, where the buffers of the devices own nothing: the books stay empty.
     */
    OWNED_ONLY
}
