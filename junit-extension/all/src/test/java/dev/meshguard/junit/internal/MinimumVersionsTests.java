package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;

/** A JUnit, an SLF4J or a Jackson that is too old is rejected with a message that names the way out. */
class MinimumVersionsTests {

    /** A context like JUnit's before 5.12.1; a real one is tested in a consumer project. */
    private interface OlderContext {
        @SuppressWarnings("unused")
        String getUniqueId();
    }

    /** A logger like that of SLF4J 1.7. */
    private interface OlderLogger {

        @SuppressWarnings("unused")
        void debug(String message);
    }

    @Test
    void thoseOfThisBuildAreSupported() {
        assertThat(MinimumVersions.errorOf(ExtensionContext.class)).isEmpty();
        assertThat(MinimumVersions.errorOfLoggers(Logger.class)).isEmpty();
        assertThat(MinimumVersions.errorOfJackson(getClass().getClassLoader())).isEmpty();
    }

    @Test
    void anOlderJUnitIsRejected() {
        assertRejected(
                MinimumVersions.errorOf(OlderContext.class),
                "MeshGuard needs JUnit Jupiter 5.12.2 or later, and found ",
                ", for example with org.junit:junit-bom; with Spring Boot's parent set the property junit-jupiter.version.");
    }

    @Test
    void anOlderSlf4jIsRejected() {
        assertRejected(
                MinimumVersions.errorOfLoggers(OlderLogger.class),
                "MeshGuard needs SLF4J 2.0 or later, and found ",
                ": org.slf4j:slf4j-api 2.0, and a provider for it, such as Logback 1.3 or later.");
    }

    @Test
    void anOlderJacksonIsRejected() {
        ClassLoader older = new ClassLoader(getClass().getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.endsWith(".StreamReadConstraints")) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }
        };

        assertRejected(
                MinimumVersions.errorOfJackson(older),
                "MeshGuard needs jackson-core 2.15 or later, and found ",
                ", for example with com.fasterxml.jackson:jackson-bom; with Spring Boot's parent set the property"
                        + " jackson-bom.version.");
    }

    private static void assertRejected(Optional<String> error, String needed, String wayOut) {
        assertThat(error)
                .get(InstanceOfAssertFactories.STRING)
                .matches(Pattern.quote(needed) + ".+" + Pattern.quote(". Choose the version in the build" + wayOut));
    }
}
