package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The direction in which the runtime allocates compute cores for dispatch.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum DispatchCoreAxis {
    /** A row of the grid. */
    ROW,
    /** A column of the grid. */
    COL
}
