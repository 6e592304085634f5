package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

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

    @Test
    void theJUnitOfThisBuildIsSupported() {
        assertThat(MinimumVersions.errorOf(ExtensionContext.class)).isEmpty();
    }

    @Test
    void rejectsAnOlderOneAndNamesTheOldestSupportedVersion() {
        assertThat(MinimumVersions.errorOf(OlderContext.class))
                .get(InstanceOfAssertFactories.STRING)
                .startsWith("MeshGuard needs JUnit Jupiter 5.12.2 or later, and found ")
                .matches(
                        "MeshGuard needs JUnit Jupiter 5\\.12\\.2 or later, and found .+\\. Choose the version in the build,"
                                + " for example with org\\.junit:junit-bom; with Spring Boot's parent set the property"
                                + " junit-jupiter\\.version\\.");
    }

    /** A logger like that of SLF4J 1.7. */
    private interface OlderLogger {
        @SuppressWarnings("unused")
        void debug(String message);
    }

    @Test
    void theSlf4jOfThisBuildIsSupported() {
        assertThat(MinimumVersions.errorOfLoggers(Logger.class)).isEmpty();
    }

    @Test
    void rejectsAnOlderSlf4jAndNamesTheWayOut() {
        assertThat(MinimumVersions.errorOfLoggers(OlderLogger.class))
                .get(InstanceOfAssertFactories.STRING)
                .startsWith("MeshGuard needs SLF4J 2.0 or later, and found ")
                .endsWith(
                        ". Choose the version in the build: org.slf4j:slf4j-api 2.0, and a provider for it, such as Logback 1.3"
                                + " or later.");
    }

    @Test
    void theJacksonOfThisBuildIsSupported() {
        assertThat(MinimumVersions.errorOfJackson(getClass().getClassLoader())).isEmpty();
    }

    @Test
    void rejectsAnOlderJacksonAndNamesTheWayOut() {
        ClassLoader older = new ClassLoader(getClass().getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.endsWith(".StreamReadConstraints")) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }
        };

        assertThat(MinimumVersions.errorOfJackson(older))
                .get(InstanceOfAssertFactories.STRING)
                .startsWith("MeshGuard needs jackson-core 2.15 or later, and found ")
                .endsWith(
                        ". Choose the version in the build, for example with com.fasterxml.jackson:jackson-bom; with Spring Boot's"
                                + " parent set the property jackson-bom.version.");
    }
}
