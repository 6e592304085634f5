package dev.meshguard.mesh.fault;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The kind of reports to which a fault applies.
 *
 * <p>One report is about one buffer on one device, so a mesh buffer over eight devices makes eight.
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
