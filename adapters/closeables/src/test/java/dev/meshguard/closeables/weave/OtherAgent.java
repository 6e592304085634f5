package dev.meshguard.closeables.weave;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/** A transformer of another agent, which changes no code and does something meanwhile. */
public interface OtherAgent extends ClassFileTransformer {

    /**
     * Runs in the thread that loads a class, or transforms it again.
     *
     * @param name the internal name of the class
     * @param loaded the class, if it is transformed again
     */
    void transforming(@Nullable String name, @Nullable Class<?> loaded);

    @Override
    default byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> loaded,
            @Nullable ProtectionDomain domain,
            byte[] file) {
        transforming(name, loaded);
        return null;
    }
}
