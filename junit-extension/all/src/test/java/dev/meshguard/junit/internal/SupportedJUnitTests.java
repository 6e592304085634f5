package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A JUnit that is too old is rejected with a message that names the way out. */
class SupportedJUnitTests {

    /** A context like JUnit's before 5.12.1; a real one is tested in a consumer project. */
    private interface OlderContext {
        @SuppressWarnings("unused")
        String getUniqueId();
    }

    @Test
    void theJUnitOfThisBuildIsSupported() {
        assertThat(SupportedJUnit.errorOf(ExtensionContext.class)).isEmpty();
    }

    @Test
    void rejectsAnOlderOneAndNamesTheOldestSupportedVersion() {
        assertThat(SupportedJUnit.errorOf(OlderContext.class))
                .get(InstanceOfAssertFactories.STRING)
                .startsWith("MeshGuard needs JUnit Jupiter 5.12.2 or later, and found ")
                .matches(
                        "MeshGuard needs JUnit Jupiter 5\\.12\\.2 or later, and found .+\\. Choose the version in the build,"
                                + " for example with org\\.junit:junit-bom; with Spring Boot's parent set the property"
                                + " junit-jupiter\\.version\\.");
    }
}
