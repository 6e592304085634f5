package dev.meshguard.event;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Who has to free a buffer, and by when.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public enum BufferLifetime {
    /** The code under test must free it before it closes the mesh. */
    USER,
    /** The runtime allocated it for itself and frees it while the mesh closes. */
    SYSTEM,
    /** It may outlive the close. */
    PERSISTENT
}
