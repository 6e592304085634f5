package dev.meshguard.tracker;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A stretch of the program that ends when it is closed; closing it again does nothing.
 *
 * <p>Made for try-with-resources:
 *
 * <pre>{@code
 * try (Scope decoding = tracker.phase("decode")) {
 *     model.decode(tokens);
 * }
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
@FunctionalInterface
public interface Scope extends AutoCloseable {

    /** Ends the stretch. */
    @Override
    void close();
}
