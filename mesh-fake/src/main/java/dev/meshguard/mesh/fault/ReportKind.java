package dev.meshguard.mesh.fault;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Which reports of a mesh a fault is about.
 *
 * <p>One report speaks of one buffer on one device, so a mesh buffer over eight devices makes eight.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum ReportKind {
    /** That a buffer or a circular buffer was allocated. */
    ALLOCATION,
    /** That a buffer or a circular buffer was freed. */
    FREE
}
