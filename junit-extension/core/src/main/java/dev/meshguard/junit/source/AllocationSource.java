package dev.meshguard.junit.source;

import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A kind of memory that tests can examine, for example that of a fake mesh or of a library.
 *
 * <p>{@link java.util.ServiceLoader} finds the sources once in a run. Two sources with one id, or for one parameter type,
 * are an error. A source has no state; that of a test is in a {@link SourceSession}.
 *
 * <p>A test examines the source that its {@linkplain AnnotatedSource annotation} selects, else those that its
 * {@link dev.meshguard.junit.MeshGuardExtension} names, else all that have {@linkplain #defaultSettings() default settings}.
 * Annotations of {@linkplain AnnotatedSource#isAdditional() additional} sources add theirs.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface AllocationSource {

    /** Returns the name of the source, which no other source has. */
    String id();

    /** Returns the types of parameters that the source injects; none by default. */
    default Set<Class<?>> parameterTypes() {
        return Set.of();
    }

    /** Returns the settings for tests that select no source; empty if a test must select it. */
    default Optional<SourceSettings> defaultSettings() {
        return Optional.empty();
    }
}
