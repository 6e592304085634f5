package dev.meshguard.tracker;

import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A section of the program that ends when it is closed; closing it again does nothing.
 *
 * <p>For use with try-with-resources:
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

    /** Ends the section. */
    @Override
    void close();
}
