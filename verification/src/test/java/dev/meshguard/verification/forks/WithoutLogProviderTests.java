package dev.meshguard.verification.forks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.Fixture;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM in which SLF4J has no provider, as in a new project. */
class WithoutLogProviderTests {

    @TempDir
    private Path folder;

    @Test
    void aCleanTestPrintsNothing() throws Exception {
        assertThat(printedBy(CleanTestCase.class)).isEqualTo("1 succeeded, 0 failed\n");
    }

    @Test
    void aLeakPrintsNothingOfTheLog() throws Exception {
        assertThat(printedBy(LeakingTestCase.class)).isEqualTo("0 succeeded, 1 failed\n");
    }

    @Test
    void aWarningIsReportedAsLost() throws Exception {
        assertThat(printedBy(WarningTestCase.class))
                .contains("SLF4J(W): No SLF4J providers were found.")
                .endsWith("1 succeeded, 0 failed\n");
    }

    private String printedBy(Class<?> fixture) throws IOException, InterruptedException {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("logback"))
                .collect(Collectors.joining(File.pathSeparator));
        Map<String, String> properties =
                Map.of("meshguard.page", "off", "meshguard.summary", "off", Fixture.ENABLED, "true");

        Process run = ForkedRun.of(fixture, classPath, properties, folder.resolve("classes"))
                .redirectErrorStream(true)
                .start();

        String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).isZero();
        return printed;
    }

    @Fixture
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class CleanTestCase {

        @Test
        void freesAll(Ttnn ttnn, MeshDevice mesh) {
            ttnn.deallocate(ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh));
        }
    }

    @Fixture
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class LeakingTestCase {

        @Test
        void leaks(Ttnn ttnn, MeshDevice mesh) {
            ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh);
        }
    }

    @Fixture
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class WarningTestCase {

        @Test
        void opensAMeshOverAnother(Ttnn ttnn, MeshDevice mesh) {
            ttnn.openMeshDevice(mesh.shape()).close();
        }
    }
}
