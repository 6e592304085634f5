package dev.meshguard.junit.internal;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Checks the version of JUnit Jupiter. */
public final class SupportedJUnit {

    /** The oldest version that the build tests. */
    public static final String OLDEST = "5.12.2";

    /** A method of contexts that the checks call and that was added last, in Jupiter 5.12.1. */
    private static final String NEEDED = "getEnclosingTestClasses";

    private SupportedJUnit() {}

    /**
     * Fails on a JUnit that is too old, before a check calls a missing method.
     *
     * @throws ExtensionConfigurationException if it is; the message names the version found and the oldest supported
     *     one
     */
    public static void require() {
        errorOf(ExtensionContext.class).ifPresent(message -> {
            throw new ExtensionConfigurationException(message);
        });
    }

    /** Returns why the JUnit of a context type cannot run the checks, if it cannot. */
    static Optional<String> errorOf(Class<?> contextType) {
        boolean isSupported = Arrays.stream(contextType.getMethods())
                .anyMatch(method -> method.getName().equals(NEEDED));
        return isSupported
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "MeshGuard needs JUnit Jupiter %s or later, and found %s. Choose the version in the build, for"
                                + " example with org.junit:junit-bom; with Spring Boot's parent set the property"
                                + " junit-jupiter.version.",
                        OLDEST,
                        found(contextType).orElse("an older one")));
    }

    /** A jar on the class path has the version in its manifest, a module in its descriptor. */
    private static Optional<String> found(Class<?> contextType) {
        @Nullable String ofManifest = contextType.getPackage().getImplementationVersion();
        return Optional.ofNullable(ofManifest)
                .or(() -> Optional.ofNullable(contextType.getModule().getDescriptor())
                        .flatMap(descriptor -> descriptor.rawVersion()));
    }
}
