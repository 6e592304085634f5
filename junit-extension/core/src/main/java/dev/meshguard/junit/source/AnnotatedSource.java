package dev.meshguard.junit.source;

import java.lang.annotation.Annotation;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A source that an annotation selects and configures.
 *
 * <p>A test with the annotation examines this source only, unless the source {@linkplain #isAdditional() is additional}.
 *
 * @param <A> the annotation that selects the source and contains its settings
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public interface AnnotatedSource<A extends Annotation> extends AllocationSource {

    /** Returns the annotation that selects the source; no other source has it. */
    Class<A> annotation();

    /**
     * Returns whether a test with the annotation examines its other sources too: for memory that code under test of any other
     * source may allocate. Such an annotation may stand beside that of any other source.
     */
    default boolean isAdditional() {
        return false;
    }

    /**
     * Reads the settings of an annotation.
     *
     * @param location the annotation and its location, for messages
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if a value is invalid
     */
    SourceSettings settings(A annotation, String location);
}
