package dev.meshguard.mesh;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Whether a call waits until the command queue has finished the work of the call.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Blocking {
    /** It returns when the queue has finished. */
    BLOCKING,
    /** It returns at once; {@link MeshCommandQueue#finish} or an event waits. */
    NON_BLOCKING
}
