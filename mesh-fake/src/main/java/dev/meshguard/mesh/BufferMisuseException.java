package dev.meshguard.mesh;

import java.io.Serial;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Thrown when code misuses a buffer; the message lists the history of the buffer.
 *
 * <p>Only {@linkplain Ttnn.Builder#strict() strict} runtimes throw it; the real runtime accepts all of these calls. It is not a
 * {@code MeshRuntimeException}, so that code which handles the runtime's errors does not handle this one by mistake. If the
 * runtime has an error of its own, as for an operation on a freed tensor, it throws that error. This exception is then
 * {@linkplain Throwable#getSuppressed() suppressed} in it.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class BufferMisuseException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final Misuse misuse;

    /** The ways in which a buffer can be misused. */
    public enum Misuse {
        /** It was freed a second time, through its handle or by its address. */
        SECOND_FREE,
        /** An address was freed at which no buffer starts. */
        UNKNOWN_ADDRESS,
        /** It was freed after its mesh or device was closed. */
        FREE_AFTER_CLOSE,
        /** It was used after it was freed. */
        USE_AFTER_FREE,
        /** A view was made of memory that had been freed. */
        VIEW_OF_FREED_MEMORY,
        /** The banks in which it lies were emptied. */
        WIPED_WHILE_ALLOCATED
    }

    public BufferMisuseException(Misuse misuse, String message) {
        super(message);
        this.misuse = misuse;
    }

    /** Returns the kind of misuse. */
    public Misuse misuse() {
        return misuse;
    }
}
