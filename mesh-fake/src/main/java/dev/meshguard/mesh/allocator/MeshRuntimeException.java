package dev.meshguard.mesh.allocator;

import java.io.Serial;
import java.util.Locale;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Thrown when the real runtime would raise an error, with the runtime's own text.
 *
 * <p>It represents the {@code std::runtime_error} of {@code TT_FATAL} and {@code TT_THROW} ({@code RuntimeError} in Python). A
 * test that searches for a part of that text finds it here too. A misuse of this library is an {@link IllegalArgumentException}
 * instead.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public sealed class MeshRuntimeException extends RuntimeException permits InsufficientMemoryException {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message the runtime's text, verbatim
     */
    public MeshRuntimeException(String message) {
        super(message);
    }

    /**
     * Creates an exception.
     *
     * @param format the runtime's text, verbatim, with the places of its values
     * @param values the values, formatted as in every locale
     */
    public MeshRuntimeException(String format, Object... values) {
        super(String.format(Locale.ROOT, format, values));
    }
}
