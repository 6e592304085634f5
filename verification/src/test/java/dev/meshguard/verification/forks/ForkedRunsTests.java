package dev.meshguard.verification.forks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.MeshGuardExtension;
import dev.meshguard.junit.RunVerifier;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.TrackAllocations;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.SourceContext;
import dev.meshguard.junit.source.SourceSession;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.tensor.DataType;
import dev.meshguard.mesh.tensor.TensorShape;
import dev.meshguard.page.RunPage;
import dev.meshguard.samples.support.Fixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests what JVMs of a build write and print: pages of one folder, summaries, lines of a log, the errors of an incomplete run. */
class ForkedRunsTests {

    private static final Pattern DATA =
            Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

    private static final Pattern WRITES_PAGES = Pattern.compile("\\] (dev\\.meshguard\\.page\\.|gg\\.jte\\.)");

    @TempDir
    private Path folder;

    @TempDir
    private Path logs;

    @Test
    void whoeverEndsLastListsWhatAllJvmsFound() throws Exception {
        List<ForkedRun> running = new ArrayList<>();
        for (Class<?> fixture : List.of(
                LeakingTestCase.class, OtherLeakingTestCase.class, UnownedTestCase.class, UnownedTestCase.class)) {
            running.add(writingPages(running.size() + 1, entry -> false, fixture));
        }

        assertThat(running)
                .extracting(run -> run.output(0))
                .containsExactly(
                        "1 succeeded, 1 failed\n",
                        "0 succeeded, 1 failed\n",
                        "1 succeeded, 0 failed\n",
                        "1 succeeded, 0 failed\n");
        JsonNode runs = runs();
        assertThat(runs.findValuesAsText("title"))
                .containsExactly(
                        "ForkedRunsTests$LeakingTestCase#leaks",
                        "ForkedRunsTests$OtherLeakingTestCase#leaksToo",
                        "the whole run",
                        "the whole run");
        assertThat(runs.findValuesAsText("fork")).containsExactlyInAnyOrder("1", "2", "3", "4");
        assertThat(runs.findValuesAsText("page"))
                .doesNotHaveDuplicates()
                .allSatisfy(page -> assertThat(folder.resolve(page)).exists());
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(file -> file.toString().endsWith(".draft"))).isEmpty();
        }
    }

    @Test
    void aJvmWhoseTestsHoldLoadsNothingThatWritesPages() throws Exception {
        assertThat(writingPages(1, entry -> false, CleanTestCase.class).output(0))
                .isEqualTo("1 succeeded, 0 failed\n");

        assertThat(loadedClasses()).anyMatch(line -> line.contains("dev.meshguard.junit.internal.run.RunPages "));
        assertThatNoPageIsWritten();
    }

    @Test
    void aJvmWithoutTheModuleOfPagesFailsAndWritesNone() throws Exception {
        Path module = Path.of(RunPage.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());

        assertThat(writingPages(1, module::equals, LeakingTestCase.class).output(0))
                .isEqualTo("1 succeeded, 1 failed\n");

        assertThatNoPageIsWritten();
    }

    @Test
    void theSummaryNamesFailuresWhereTheBuildToolHidesTheirMessages() throws Exception {
        List<String> settings =
                List.of("-Dmeshguard.summary=always", "-Dmeshguard.page=failures", "-Dmeshguard.page.folder=" + folder);
        List<String> underGradle = new ArrayList<>(settings);
        underGradle.add("-Dorg.gradle.test.worker=1");

        ForkedRun first = ForkedRun.of(entry -> false, settings, LeakingTestCase.class);
        ForkedRun second = ForkedRun.of(entry -> false, underGradle, LeakingTestCase.class);

        assertThat(first.output(0)).contains("   rerun  ").doesNotContain("   failures  ");
        assertThat(second.output(0))
                .containsPattern(
                        "   failures          ForkedRunsTests\\$LeakingTestCase#leaks: LEAK  2 KiB in 1 DRAM buffer, [A-Z]+; allocated in "
                                + "ForkedRunsTests.java:\\d+   " + folder + ".*\\.html\n");
    }

    /** As in a new project. */
    @Test
    void withoutAProviderOfSlf4jOnlyAWarningIsReportedAsLost() throws Exception {
        ForkedRun run = ForkedRun.of(
                entry -> entry.getFileName().toString().startsWith("logback"),
                List.of("-Dmeshguard.page=off", "-Dmeshguard.summary=off"),
                CleanTestCase.class,
                LeakingTestCase.class,
                WarningTestCase.class);

        assertThat(run.output(0))
                .startsWith("1 succeeded, 0 failed\n1 succeeded, 1 failed\nSLF4J(W): No SLF4J providers were found.\n")
                .endsWith("\n1 succeeded, 0 failed\n");
    }

    @Test
    void theErrorOfAnIncompleteRunHasTheFileToOpenAsItsFirstFrame() throws Exception {
        Path record = Files.writeString(
                folder.resolve("findings-7-1.jsonl"),
                "{\"schema\":1,\"kind\":\"run\",\"run\":\"7\",\"jvm\":\"1\",\"began\":\"2026-03-01T10:15:30Z\"}\n");

        ForkedRun verifier = ForkedRun.java(
                entry -> false,
                List.of("-Dmeshguard.run=7", "-Dmeshguard.findings=" + folder),
                Stream.of(RunVerifier.class));

        assertThat(verifier.output(1))
                .startsWith(
                        "Exception in thread \"main\" org.opentest4j.AssertionFailedError: INCONCLUSIVE  1 of 1 findings")
                .contains(String.format(Locale.ROOT, "%n\tat findings.file(%s)%n", record));
    }

    private ForkedRun writingPages(int fork, Predicate<Path> absent, Class<?> fixture) throws IOException {
        return ForkedRun.of(
                absent,
                List.of(
                        "-Xlog:class+load:file=" + logs.resolve("classes" + fork),
                        "-Dmeshguard.page.folder=" + folder,
                        "-Dmeshguard.summary=off",
                        "-Dsurefire.forkNumber=" + fork),
                fixture);
    }

    private List<String> loadedClasses() throws IOException {
        return Files.readAllLines(logs.resolve("classes1"));
    }

    private void assertThatNoPageIsWritten() throws IOException {
        assertThat(loadedClasses())
                .filteredOn(line -> WRITES_PAGES.matcher(line).find())
                .isEmpty();
        assertThat(folder.resolve("runs")).doesNotExist();
    }

    private JsonNode runs() throws IOException {
        Matcher data = DATA.matcher(Files.readString(folder.resolve("index.html")));
        assertThat(data.find()).isTrue();
        return new ObjectMapper().readTree(data.group(1)).at("/runs");
    }

    private static void leak(Ttnn ttnn, MeshDevice mesh) {
        ttnn.empty(TensorShape.of(1, 1, 32, 32), DataType.BFLOAT16, mesh);
    }

    @Fixture
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class LeakingTestCase {

        @Test
        void leaks(Ttnn ttnn, MeshDevice mesh) {
            leak(ttnn, mesh);
        }

        @Test
        void freesAll(MeshDevice mesh) {}
    }

    @Fixture
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class OtherLeakingTestCase {

        @Test
        void leaksToo(Ttnn ttnn, MeshDevice mesh) {
            leak(ttnn, mesh);
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

    @Fixture
    @TrackAllocations
    @FakeMesh(rows = 1, columns = 1)
    static class WarningTestCase {

        @Test
        void opensAMeshOverAnother(Ttnn ttnn, MeshDevice mesh) {
            ttnn.openMeshDevice(mesh.shape()).close();
        }
    }

    /** A library that reports through one hook of the process. */
    private static final class Library implements AllocationSource {

        static final String ID = "library";

        @Override
        public String id() {
            return ID;
        }

        static SourceSession begin(SourceContext context) {
            context.tracker().sourceAttached(ID);
            context.receiveFromThreads();
            return () -> {};
        }
    }

    /** No test is responsible for what is allocated before the tests of the class: it belongs to the run. */
    @Fixture
    static class UnownedTestCase {

        @RegisterExtension
        static final MeshGuardExtension guard = MeshGuardExtension.builder()
                .source(SourceSettings.withoutOptions(new Library(), Library::begin))
                .build();

        @BeforeAll
        static void leaks() {
            TestThreads.trackerOfThread(Library.ID).orElseThrow().allocated(0, BufferType.DRAM, 4_096, 64);
        }

        @Test
        void allocatesNothing() {}
    }
}
