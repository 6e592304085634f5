package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.FixtureSource;
import org.junit.jupiter.api.Test;

/** The settings of a source without options; tests with equal ones can share a session. */
class SettingsOfSourcesTests {

    private static final class Library extends FixtureSource {

        Library() {
            super("library");
        }
    }

    private static final class OtherLibrary extends FixtureSource {

        OtherLibrary() {
            super("other library");
        }
    }

    private static SourceSession session(SourceContext context) {
        throw new IllegalStateException("no session is begun here");
    }

    private static SourceSettings parameterOf(AllocationSource source) {
        return SourceSettings.ofParameter(source, context -> session(context));
    }

    @Test
    void areEqualForSourcesOfOneClass() {
        assertThat(parameterOf(new Library()))
                .isEqualTo(parameterOf(new Library()))
                .hasSameHashCodeAs(parameterOf(new Library()));
        assertThat(parameterOf(new Library())).isNotEqualTo(parameterOf(new OtherLibrary()));
    }

    @Test
    void beginWithTheTestUnlessTheParameterIsAllThereIs() {
        SourceSettings ofEachTest = SourceSettings.withoutOptions(new Library(), SettingsOfSourcesTests::session);

        assertThat(ofEachTest.beginsOnRequest()).isFalse();
        assertThat(parameterOf(new Library()).beginsOnRequest()).isTrue();
        assertThat(ofEachTest).isNotEqualTo(parameterOf(new Library()));
    }
}
