package dev.meshguard.verification.forks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.samples.support.Fixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The summary that a forked JVM prints, under each build tool. */
class SummaryOfForksTests {

    @TempDir
    private Path folder;

    @Test
    void theSummaryNamesFailuresWhereTheBuildToolHidesTheirMessages() throws Exception {
        Path pages = folder.resolve("pages");
        Map<String, String> settings = Map.of(
                "meshguard.summary", "always", "meshguard.page", "failures", "meshguard.page.folder", pages.toString());
        Map<String, String> underGradle = new HashMap<>(settings);
        underGradle.put("org.gradle.test.worker", "1");

        List<String> printed =
                outputs(start(LeakingTestCase.class, settings), start(LeakingTestCase.class, underGradle));

        assertThat(printed.get(0)).contains("   rerun  ").doesNotContain("   failures  ");
        assertThat(printed.get(1))
                .containsPattern(
                        "   failures          SummaryOfForksTests\\$LeakingTestCase#leaks: LEAK  2 KiB in 1 DRAM buffer, [A-Z]+; allocated in "
                                + "SummaryOfForksTests.java:\\d+   " + pages + ".*\\.html\n");
    }

    private Process start(Class<?> fixture, Map<String, String> settings) throws IOException {
        Map<String, String> properties = new HashMap<>(settings);
        properties.put(Fixture.ENABLED, "true");
        return ForkedRun.of(fixture, System.getProperty("java.class.path"), properties, folder.resolve("classes"))
                .redirectErrorStream(true)
                .start();
    }

    private static List<String> outputs(Process... runs) throws IOException, InterruptedException {
        List<String> outputs = new ArrayList<>();
        for (Process run : runs) {
            outputs.add(new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            assertThat(run.waitFor()).isZero();
        }
        return outputs;
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
}
