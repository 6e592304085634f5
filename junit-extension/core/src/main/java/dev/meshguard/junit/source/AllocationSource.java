package dev.meshguard.junit.source;

import java.lang.annotation.Annotation;
import java.util.Optional;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A kind of memory that tests can examine, for example that of a fake mesh or of other processes.
 *
 * <p>{@link java.util.ServiceLoader} finds the sources once in a run. Two sources with one id, or for one parameter type,
 * are an error. A source has no state; that of a test is in a {@link SourceSession}.
 *
 * @param <A> the annotation that selects the source and contains its settings
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface AllocationSource<A extends Annotation> {

    /** Returns the name of the source, which no other source has. */
    String id();

    /** Returns the annotation that selects the source. */
    Class<A> annotation();

    /** Returns the types of parameters and fields that the source injects. */
    Set<Class<?>> parameterTypes();

    /**
     * Reads the settings of an annotation.
     *
     * @param location the annotation and its location, for messages
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if a value is invalid
     */
    SourceSettings settings(A annotation, String location);

    /** Returns the settings for tests that select no source; only the default source has them. */
    default Optional<SourceSettings> defaultSettings() {
        return Optional.empty();
    }
}
