package dev.meshguard.samples.forks;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs as steps of a job of GitHub: their reports are appended to one file, and their findings annotate lines. */
class JobReportOfForksTests {

    private static final String HEAD = "| cause | allocated in | buffers | bytes | found by | page | baseline |\n";

    @TempDir
    private Path folder;

    @Test
    void twoJvmsAppendToThePageOfTheJob() throws Exception {
        Path page = Files.writeString(folder.resolve("summary.md"), "# Before\n");
        Path pages = folder.resolve("pages");
        Map<String, String> settings = Map.of(
                "meshguard.github.summary",
                "always",
                "meshguard.page",
                "failures",
                "meshguard.page.folder",
                pages.toString(),
                "meshguard.baseline",
                Files.writeString(folder.resolve("known.txt"), "").toString());

        outputs(start(LeakingTestCase.class, settings, page), start(LeakingTestCase.class, settings, page));

        String written = Files.readString(page);
        assertThat(written)
                .startsWith("# Before\n## MeshGuard: LEAKED\n\n1 test tracked · 1 buffer · 1 failed\n")
                .contains(HEAD)
                .contains("(JobReportOfForksTests.java:")
                .contains("| 1 DRAM | 2 KiB (2048 B) | `JobReportOfForksTests$LeakingTestCase#leaks` | `" + pages)
                .contains("| new since the baseline |\n")
                .endsWith("Pages: `" + pages + "`\n");
        assertThat(written.split(" LEAKED\n", -1)).hasSize(3);
    }

    @Test
    void findingsAnnotateTheirLines() throws Exception {
        List<String> printed = outputs(start(
                LeakingTestCase.class, Map.of("meshguard.github.annotations", "true"), folder.resolve("unused.md")));

        assertThat(printed.get(0).lines())
                .filteredOn(line -> line.startsWith("::"))
                .singleElement()
                .asString()
                .matches(
                        "::error file=src/test/java/dev/meshguard/samples/forks/JobReportOfForksTests\\.java,line=\\d+,"
                                + "title=MeshGuard%3A 2 KiB leaked::1 DRAM buffer [A-Z]+; allocated in .*; found by .*#leaks");
        assertThat(folder.resolve("unused.md")).doesNotExist();
    }

    @Test
    void theSummaryNamesFailuresWhereTheBuildToolHidesTheirMessages() throws Exception {
        Path pages = folder.resolve("pages");
        Map<String, String> settings = Map.of(
                "meshguard.summary", "always", "meshguard.page", "failures", "meshguard.page.folder", pages.toString());
        Map<String, String> underGradle = new HashMap<>(settings);
        underGradle.put("org.gradle.test.worker", "1");

        List<String> printed = outputs(
                start(LeakingTestCase.class, settings, folder.resolve("unused.md")),
                start(LeakingTestCase.class, underGradle, folder.resolve("unused.md")));

        assertThat(printed.get(0)).contains("   rerun  ").doesNotContain("   failures  ");
        assertThat(printed.get(1))
                .containsPattern(
                        "   failures          JobReportOfForksTests\\$LeakingTestCase#leaks: LEAK  2 KiB in 1 DRAM buffer, [A-Z]+; allocated in "
                                + "JobReportOfForksTests.java:\\d+   " + pages + ".*\\.html\n");
    }

    @Test
    void aPageThatCannotBeWrittenFailsNothing() throws Exception {
        Path page = Files.createDirectory(folder.resolve("summary.md"));

        assertThat(outputs(start(CleanTestCase.class, Map.of("meshguard.github.summary", "always"), page)))
                .containsExactly("1 succeeded, 0 failed\n");
    }

    @Test
    void writesAndPrintsNothingUnlessConfigured() throws Exception {
        Path page = folder.resolve("summary.md");

        assertThat(outputs(start(LeakingTestCase.class, Map.of(), page))).containsExactly("0 succeeded, 1 failed\n");
        assertThat(page).doesNotExist();
    }

    @Test
    void failuresWritesNothingOfARunThatPasses() throws Exception {
        Path page = folder.resolve("summary.md");

        outputs(start(CleanTestCase.class, Map.of("meshguard.github.summary", "failures"), page));

        assertThat(page).doesNotExist();
    }

    private Process start(Class<?> fixture, Map<String, String> settings, Path page) throws IOException {
        Map<String, String> properties =
                new HashMap<>(Map.of("meshguard.page", "off", "meshguard.summary", "off", Fixture.ENABLED, "true"));
        properties.putAll(settings);
        ProcessBuilder run = ForkedRun.of(
                        fixture, System.getProperty("java.class.path"), properties, folder.resolve("classes"))
                .redirectErrorStream(true);
        run.environment().put("GITHUB_STEP_SUMMARY", page.toString());
        run.environment().remove("GITHUB_WORKSPACE");
        return run.start();
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

    @Fixture
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class CleanTestCase {

        @Test
        void freesAll(Ttnn ttnn, MeshDevice mesh) {
            ttnn.deallocate(ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh));
        }
    }
}
