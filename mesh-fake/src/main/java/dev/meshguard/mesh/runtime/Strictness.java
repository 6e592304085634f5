package dev.meshguard.mesh.runtime;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Selects whether the fake runtime accepts misuse of memory and devices as the real one does, or rejects it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum Strictness {
    /** Behaves like the runtime: it ignores a second free and opens a second root mesh over open devices. */
    LENIENT,
    /** Misuse is an error that shows the history of the buffer. */
    STRICT
}
