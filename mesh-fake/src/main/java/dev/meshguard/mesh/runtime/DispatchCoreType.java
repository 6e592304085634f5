package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The kind of cores on which the runtime dispatches programs.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum DispatchCoreType {
    /** Compute cores, which programs then do not have. */
    WORKER,
    /** Ethernet cores; programs can use all compute cores. */
    ETH
}
