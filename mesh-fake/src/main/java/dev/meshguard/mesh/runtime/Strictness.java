package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What happens when code does to device memory what it should not, and the real runtime does not mind.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Strictness {
    /** What the runtime does: a second free is silent, a second root mesh over open devices is opened. */
    LENIENT,
    /** An error that shows the history of the buffer; freed addresses are withheld for a while, so that use after free shows. */
    STRICT
}
