package dev.meshguard.history;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A way to count memory when one address is reported several times while it is live.
 *
 * <p>Existing tools use four ways, and each of them misleads somewhere. A policy is only a reading of a history, so one
 * history can be read under all of them. See {@link AllocationHistory#ledger(CountingPolicy)}.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum CountingPolicy {
    /**
     * A report at a live address adds a reference; first size, type and owner stay. The allocation server counts this
     * way.
     *
     * <p>It misleads if one physical buffer is reported twice and freed once: the entry stays although the memory is
     * gone.
     */
    REFERENCE_COUNTED,
    /**
     * A report at a live address overwrites the entry and is added to size and count again. The first free removes the
     * entry, the second is unknown. The tracker before reference counts counted this way.
     *
     * <p>It misleads wherever one address is reported twice: bytes drift upwards permanently.
     */
    EVERY_REPORT,
    /**
     * A report at a live address is ignored.
     *
     * <p>It misleads if a view is freed before the buffer that it points to: the entry is removed although the memory
     * is still allocated.
     */
    ONCE_PER_ADDRESS,
    /**
     * Reports of objects that do not own their memory are excluded, the rest is reference counted.
     *
     * <p>It misleads on a mesh, where the buffers of the devices own nothing: the ledger stays empty.
     */
    OWNED_ONLY
}
