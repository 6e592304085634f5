package dev.meshguard.junit.internal;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;

/** Fails if JUnit Jupiter or a tracked library such as Netty is older than MeshGuard supports. */
public final class MinimumVersions {

    /** The oldest version of JUnit Jupiter that the build tests. */
    public static final String OLDEST = "5.12.2";

    /** A method of contexts that the checks call and that was added last, in Jupiter 5.12.1. */
    private static final String NEEDED = "getEnclosingTestClasses";

    /** A method of loggers that SLF4J 2.0 added. */
    private static final String NEEDED_OF_LOGGERS = "atDebug";

    private static final String JACKSON = "com.fasterxml.jackson.core.";

    /** A class with which texts of any length are read, and which Jackson 2.15 added. */
    private static final String NEEDED_OF_JACKSON = JACKSON + "StreamReadConstraints";

    private MinimumVersions() {}

    /**
     * Fails on a JUnit, an SLF4J or a Jackson that is too old, before a missing method is called.
     *
     * @throws ExtensionConfigurationException if one is; the message names the version found and the oldest supported
     *     one
     */
    public static void require() {
        errorOf(ExtensionContext.class)
                .or(() -> errorOfLoggers(Logger.class))
                .or(() -> errorOfJackson(MinimumVersions.class.getClassLoader()))
                .ifPresent(MinimumVersions::fail);
    }

    /**
     * Fails on a library that is too old for its source, before what it does not have is used.
     *
     * @param oldest the name and the oldest supported version of the library
     * @param type the name of a type that each version of the library has
     * @param loader the class loader of the source
     * @param bom the artifact in which the build chooses the version
     * @throws ExtensionConfigurationException if the library is not supported; the message names the version found and the
     *     oldest supported one
     */
    public static void requireLibrary(boolean isSupported, String oldest, String type, ClassLoader loader, String bom) {
        errorUnless(isSupported, oldest, classOf(type, loader), ", for example with " + bom + ".")
                .ifPresent(MinimumVersions::fail);
    }

    private static void fail(String message) {
        throw new ExtensionConfigurationException(message);
    }

    /** Returns why the JUnit of a context type cannot run the checks, if it cannot. */
    static Optional<String> errorOf(Class<?> contextType) {
        return errorUnless(
                hasMethod(contextType, NEEDED),
                "JUnit Jupiter " + OLDEST,
                Optional.of(contextType),
                ", for example with org.junit:junit-bom; with Spring Boot's parent set the property junit-jupiter.version.");
    }

    /** Returns why the SLF4J of a logger type cannot be used, if it cannot. */
    static Optional<String> errorOfLoggers(Class<?> loggerType) {
        return errorUnless(
                hasMethod(loggerType, NEEDED_OF_LOGGERS),
                "SLF4J 2.0",
                Optional.of(loggerType),
                ": org.slf4j:slf4j-api 2.0, and a provider for it, such as Logback 1.3 or later.");
    }

    /** Returns why the Jackson of a class loader cannot be used, if it cannot. */
    static Optional<String> errorOfJackson(ClassLoader loader) {
        return errorUnless(
                classOf(NEEDED_OF_JACKSON, loader).isPresent(),
                "jackson-core 2.15",
                classOf(JACKSON + "JsonFactory", loader),
                ", for example with com.fasterxml.jackson:jackson-bom; with Spring Boot's parent set the property"
                        + " jackson-bom.version.");
    }

    private static boolean hasMethod(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .anyMatch(method -> method.getName().equals(name));
    }

    private static Optional<Class<?>> classOf(String name, ClassLoader loader) {
        try {
            return Optional.of(Class.forName(name, false, loader));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> errorUnless(
            boolean isSupported, String oldest, Optional<Class<?>> type, String wayOut) {
        return isSupported
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "MeshGuard needs %s or later, and found %s. Choose the version in the build%s",
                        oldest,
                        type.map(one -> found(one).orElse("an older one")).orElse("none"),
                        wayOut));
    }

    /** A jar on the class path has the version in its manifest, a module in its descriptor. */
    private static Optional<String> found(Class<?> type) {
        @Nullable String ofManifest = type.getPackage().getImplementationVersion();
        return Optional.ofNullable(ofManifest)
                .or(() -> Optional.ofNullable(type.getModule().getDescriptor())
                        .flatMap(descriptor -> descriptor.rawVersion()));
    }
}
