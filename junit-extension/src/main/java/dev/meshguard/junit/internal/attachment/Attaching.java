package dev.meshguard.junit.internal.attachment;

import java.nio.file.Path;
import org.junit.jupiter.api.function.ThrowingConsumer;

/** Attaches one file to whatever reports say of a test. */
@FunctionalInterface
public interface Attaching {

    /**
     * Attaches it.
     *
     * @param name the name of the file, without a folder
     * @param mediaType what is in it, for example {@code application/json}
     * @param write writes it
     */
    void attach(String name, String mediaType, ThrowingConsumer<Path> write);
}
