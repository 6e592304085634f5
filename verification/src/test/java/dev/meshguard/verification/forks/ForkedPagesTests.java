package dev.meshguard.verification.forks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.MeshGuardExtension;
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
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests several JVMs that write pages to one folder, and one without a page to write. */
class ForkedPagesTests {

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    private static final Pattern DATA =
            Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

    private static final Pattern WRITES_PAGES = Pattern.compile("\\] (dev\\.meshguard\\.page\\.|gg\\.jte\\.)");

    @TempDir
    private Path folder;

    @Test
    void whoeverEndsLastListsWhatAllJvmsFound() throws Exception {
        List<Class<?>> fixtures =
                List.of(FirstTestCase.class, SecondTestCase.class, UnownedTestCase.class, UnownedTestCase.class);
        List<Process> running = new ArrayList<>();
        for (int fork = 0; fork < fixtures.size(); fork++) {
            running.add(start(fixtures.get(fork), fork + 1));
        }

        assertThat(answers(running))
                .containsExactly(
                        "1 succeeded, 1 failed\n",
                        "0 succeeded, 1 failed\n",
                        "1 succeeded, 0 failed\n",
                        "1 succeeded, 0 failed\n");
        JsonNode runs = runs();
        assertThat(runs.findValuesAsText("title"))
                .containsExactly(
                        "ForkedPagesTests$FirstTestCase#leaks",
                        "ForkedPagesTests$SecondTestCase#leaksToo",
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
        assertThat(answers(List.of(start(CleanTestCase.class, 1)))).containsExactly("1 succeeded, 0 failed\n");

        List<String> loaded = Files.readAllLines(log(1));
        assertThat(loaded).anyMatch(line -> line.contains("dev.meshguard.junit.internal.run.RunPages "));
        assertThat(loaded).filteredOn(line -> WRITES_PAGES.matcher(line).find()).isEmpty();
        assertThat(folder.resolve("runs")).doesNotExist();
    }

    @Test
    void aJvmWithoutTheModuleOfPagesFailsAndWritesNone() throws Exception {
        Path module = Path.of(RunPage.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        String classPath = Stream.of(CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).equals(module))
                .collect(Collectors.joining(File.pathSeparator));

        assertThat(answers(List.of(start(FirstTestCase.class, classPath, 1))))
                .containsExactly("1 succeeded, 1 failed\n");

        assertThat(Files.readAllLines(log(1)))
                .filteredOn(line -> WRITES_PAGES.matcher(line).find())
                .isEmpty();
        assertThat(folder.resolve("runs")).doesNotExist();
    }

    private Process start(Class<?> fixture, int fork) throws IOException {
        return start(fixture, CLASS_PATH, fork);
    }

    private Process start(Class<?> fixture, String classPath, int fork) throws IOException {
        Map<String, String> properties = new HashMap<>();
        properties.put("meshguard.page.folder", folder.toString());
        properties.put("meshguard.summary", "off");
        properties.put("surefire.forkNumber", Integer.toString(fork));
        properties.put(Fixture.ENABLED, "true");
        return ForkedRun.start(fixture, classPath, properties, log(fork));
    }

    private Path log(int fork) {
        return folder.resolveSibling(folder.getFileName() + "-" + fork + ".classes");
    }

    private static List<String> answers(List<Process> running) throws Exception {
        List<String> answers = new ArrayList<>();
        for (Process one : running) {
            answers.add(new String(one.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            assertThat(one.waitFor()).isZero();
        }
        return answers;
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
    static class FirstTestCase {

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
    static class SecondTestCase {

        @Test
        void leaksToo(Ttnn ttnn, MeshDevice mesh) {
            leak(ttnn, mesh);
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
