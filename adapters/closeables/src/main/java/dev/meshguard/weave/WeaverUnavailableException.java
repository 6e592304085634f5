package dev.meshguard.weave;

import java.io.Serial;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * No Java agent is in this JVM, and none may be attached; the message says what to add to the command line.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class WeaverUnavailableException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    WeaverUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
