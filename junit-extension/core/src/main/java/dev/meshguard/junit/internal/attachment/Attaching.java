package dev.meshguard.junit.internal.attachment;

import java.nio.file.Path;
import org.junit.jupiter.api.function.ThrowingConsumer;

/** Attaches one file to the report of a test. */
@FunctionalInterface
public interface Attaching {

    /**
     * Attaches the file.
     *
     * @param name the name of the file, without a folder
     * @param mediaType its media type, for example {@code application/json}
     * @param write writes it
     */
    void attach(String name, String mediaType, ThrowingConsumer<Path> write);
}
