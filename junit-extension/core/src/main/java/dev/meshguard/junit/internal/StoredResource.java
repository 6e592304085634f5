package dev.meshguard.junit.internal;

import java.io.IOException;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A value of a JUnit store that the engine closes when the context of the store is over.
 *
 * <p>Every value whose close fails a test implements this interface; an {@link AutoCloseable} alone is not enough. Jupiter 5.12 does
 * not close it, and neither does a newer one with {@code junit.jupiter.extensions.store.close.autocloseable.enabled=false}: leaks
 * would pass. All of them close a {@code CloseableResource}. The engine looks for one of the two types and closes a value once.
 */
@SuppressWarnings("deprecation") // Deprecated since 5.13 in favour of AutoCloseable; Jupiter 6 still closes both.
public interface StoredResource extends AutoCloseable, ExtensionContext.Store.CloseableResource {

    /** Closes it; what is thrown fails the test, class or run of the store. */
    @Override
    void close() throws IOException;
}
