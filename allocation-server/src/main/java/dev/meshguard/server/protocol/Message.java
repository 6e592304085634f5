package dev.meshguard.server.protocol;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One message, in either direction.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface Message permits Request, MemoryUsage, DeviceInfo {

    /** Returns what it says. */
    MessageType type();

    /** Returns the device that it is about. */
    int device();
}
