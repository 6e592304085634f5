package dev.meshguard.junit.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.meshguard.closeables.NativeHandlesSource;
import dev.meshguard.junit.mesh.FakeMeshSource;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.junit.testkit.FixtureSource;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.tracker.AllocationTracker;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.io.TempDir;

/** The sources of a run contradict each other in nothing. */
class SourcesTests {

    @TempDir
    private Path folder;

    @Test
    void findsTheSourcesOnTheClassPath() {
        Sources sources = Sources.load(SourcesTests.class.getClassLoader());

        assertThat(sources.ofParameter(MeshDevice.class)).containsInstanceOf(FakeMeshSource.class);
        assertThat(sources.defaultSettings())
                .containsExactly(
                        NativeHandlesSource.create(),
                        new FakeMeshSource().defaultSettings().orElseThrow());
    }

    /** A project gains a library's checks by its artifact alone. */
    @Test
    void severalSourcesMayExamineTestsThatSelectNone() throws IOException {
        assertThat(load(OtherDefault.class.getName()).defaultSettings())
                .extracting(settings -> settings.source().id())
                .containsExactly("closeables", "fixture", "mesh");
    }

    @Test
    void namesBothJarsOfTwoSourcesWithOneId() throws IOException {
        assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(() -> load(SecondMesh.class.getName()))
                .withMessage("Two sources of allocations for id \"mesh\": %s and %s. Remove one from the class path."
                        .formatted(locationOf(FakeMeshSource.class), locationOf(SecondMesh.class)));
    }

    @Test
    void rejectsTwoSourcesOfOneParameterType() throws IOException {
        assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(() -> load(OtherMesh.class.getName()))
                .withMessageStartingWith("Two sources of allocations for " + MeshDevice.class.getName() + ": ");
    }

    @Test
    void rejectsASourceOfTheTracker() throws IOException {
        assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(() -> load(OwnTracker.class.getName()))
                .withMessage(
                        "The source %s injects AllocationTracker. MeshGuard injects this type into every tracked test: remove it from parameterTypes()."
                                .formatted(locationOf(OwnTracker.class)));
    }

    @Test
    void namesASourceThatCannotBeLoaded() throws IOException {
        assertThatExceptionOfType(ExtensionConfigurationException.class)
                .isThrownBy(() -> load("org.example.MissingSource"))
                .withMessage(
                        "A source of allocations cannot be loaded:"
                                + " dev.meshguard.junit.source.AllocationSource: Provider org.example.MissingSource not found."
                                + " Repair META-INF/services or the descriptor of its artifact, or remove it from the class path.")
                .withCauseInstanceOf(ServiceConfigurationError.class);
    }

    @Test
    void findsTheSourcesBesideTheExtensionIfTheContextLoaderHasNone() throws IOException {
        try (URLClassLoader empty = new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader())) {
            assertThat(Sources.load(empty).ofParameter(MeshDevice.class)).isPresent();
        }
    }

    private static String locationOf(Class<?> type) {
        return type.getName() + " in "
                + type.getProtectionDomain().getCodeSource().getLocation();
    }

    /** Loads the sources of the class path and one that a folder declares. */
    private Sources load(String source) throws IOException {
        Path services = folder.resolve("META-INF/services");
        Files.createDirectories(services);
        Files.writeString(services.resolve(AllocationSource.class.getName()), source);
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, SourcesTests.class.getClassLoader())) {
            return Sources.load(loader);
        }
    }

    /** A source with the id of the fake mesh. */
    public static final class SecondMesh extends FixtureSource {

        public SecondMesh() {
            super("mesh");
        }
    }

    /** A source that injects what the fake mesh injects. */
    public static final class OtherMesh extends FixtureSource {

        public OtherMesh() {
            super("other", MeshDevice.class);
        }
    }

    /** A source for tests that select none. */
    public static final class OtherDefault extends FixtureSource {

        public OtherDefault() {
            super("fixture");
        }

        @Override
        public Optional<SourceSettings> defaultSettings() {
            return Optional.of(FixtureSource.settings(unused -> {}, () -> {}));
        }
    }

    /** A source that injects what MeshGuard itself injects. */
    public static final class OwnTracker extends FixtureSource {

        public OwnTracker() {
            super("tracker", AllocationTracker.class);
        }
    }
}
