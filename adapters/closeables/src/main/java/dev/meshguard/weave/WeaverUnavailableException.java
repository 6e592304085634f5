package dev.meshguard.weave;

import java.io.Serial;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

/**
 * Code cannot be woven in this JVM: it has no Java agent and lets none attach, or Byte Buddy is too old. The message says what to do.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class WeaverUnavailableException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    WeaverUnavailableException(String message) {
        super(message);
    }

    WeaverUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
