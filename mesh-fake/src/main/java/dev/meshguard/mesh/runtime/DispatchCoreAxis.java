package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Along what the runtime takes compute cores to dispatch on.
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
