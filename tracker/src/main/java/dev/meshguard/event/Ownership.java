package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whether the reporting buffer object owns the memory at its address.
 *
 * <p>One piece of device memory may be reported by several objects: the backing buffer of a mesh buffer owns it, the
 * buffer on each device and every view only point to it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Ownership {
    /** The object took the memory from the allocator and gives it back. */
    OWNING,
    /** The object was made at an address that something else owns. */
    NON_OWNING,
    /** The source does not say. */
    UNKNOWN
}
