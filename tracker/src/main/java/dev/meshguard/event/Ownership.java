package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * States whether the reporting buffer object owns the memory at its address.
 *
 * <p>Several objects may report one piece of device memory. The backing buffer of a mesh buffer owns it. The buffer on
 * each device and every view only point to it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Ownership {
    /** The object allocates the memory and frees it. */
    OWNING,
    /** The object was created at an address that another object owns. */
    NON_OWNING,
    /** The source does not report it. */
    UNKNOWN
}
