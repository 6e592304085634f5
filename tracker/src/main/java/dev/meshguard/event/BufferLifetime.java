package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The party that has to free a buffer, and the latest moment for it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BufferLifetime {
    /** The code under test must free the buffer before it closes the mesh. */
    USER,
    /** The runtime allocated the buffer for itself and frees it while the mesh closes. */
    SYSTEM,
    /** The buffer may outlive the close. */
    PERSISTENT
}
