package dev.meshguard.server.protocol;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A message between a program and an allocation server: a request, or an answer of the server.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed interface Message permits Request, MemoryUsage, DeviceInfo {

    /** Returns its type. */
    MessageType type();

    /** Returns its device. */
    int device();
}
