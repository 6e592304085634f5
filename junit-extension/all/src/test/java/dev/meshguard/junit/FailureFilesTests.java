package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.internal.attachment.FailureFiles;
import dev.meshguard.junit.mesh.FakeMesh;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.FileEntry;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.opentest4j.TestAbortedException;

/**
 * A failed test has its evidence attached: the text, the verdict and the history, to which a report refers.
 *
 * <p>A passing test attaches nothing, and a write error hides no finding.
 */
class FailureFilesTests {

    private static final String FOLDER = "junit.platform.reporting.output.dir";

    @TempDir
    private Path folder;

    /** Collects the files published for tests, by their names. */
    private static final class PublishedFiles implements TestExecutionListener {
        private final Map<String, Map<String, Path>> files = new ConcurrentHashMap<>();
        private final Map<String, Map<String, String>> types = new ConcurrentHashMap<>();
        private final Map<String, Map<String, String>> pairs = new ConcurrentHashMap<>();
        private final Map<String, TestExecutionResult> results = new ConcurrentHashMap<>();

        @Override
        public void fileEntryPublished(TestIdentifier test, FileEntry file) {
            String name = String.valueOf(file.getPath().getFileName());
            files.computeIfAbsent(test.getDisplayName(), unused -> new TreeMap<>())
                    .put(name, file.getPath());
            types.computeIfAbsent(test.getDisplayName(), unused -> new TreeMap<>())
                    .put(name, file.getMediaType().orElseThrow());
        }

        @Override
        public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
            pairs.computeIfAbsent(test.getDisplayName(), unused -> new HashMap<>())
                    .putAll(entry.getKeyValuePairs());
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            results.put(test.getDisplayName(), result);
        }

        Path file(String test, String name) {
            return files.get(test).get(name);
        }
    }

    @Test
    void filesOfAnEarlierRunAreReplacedAndNotWrittenInto() throws IOException {
        List<String> names = List.of("history.jsonl", "verdict.json", "failure.txt");
        for (String name : names) {
            Files.writeString(folder.resolve(name), "earlier");
            Files.createLink(folder.resolve("opened-" + name), folder.resolve(name));
        }
        VerdictReport report = VerdictReport.of(
                LeakCheck.create().examine(AllocationTracker.create().history()));

        new FailureFiles("", FailureFiles.MAX_BYTES)
                .attach(
                        (name, type, write) ->
                                assertThatNoException().isThrownBy(() -> write.accept(folder.resolve(name))),
                        "failed",
                        report);

        assertThat(names).allSatisfy(name -> {
            assertThat(folder.resolve("opened-" + name)).hasContent("earlier");
            assertThat(folder.resolve(name)).content().isNotEqualTo("earlier");
        });
        assertThat(folder.resolve("failure.txt")).hasContent("failed\n\nTracked: nothing was allocated");
    }

    @Test
    void attachesTextVerdictAndHistory() throws IOException {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), LeakTestCase.class);

        assertThat(heard.types)
                .isEqualTo(Map.of(
                        "leaks(MeshDevice)",
                        Map.of(
                                "meshguard-failure.txt", "text/plain; charset=UTF-8",
                                "meshguard-history.jsonl", "application/x-ndjson; charset=UTF-8",
                                "meshguard-verdict.json", "application/json")));
        assertThat(heard.file("leaks(MeshDevice)", "meshguard-failure.txt"))
                .startsWith(folder)
                .content()
                .startsWith(message(heard, "leaks(MeshDevice)") + "\n\nTracked  allocated ")
                .contains("\nTeardown ", "\nTimeline ", "\nIn a file of expected buffers: ");
    }

    @Test
    void aFailureWithoutAPageNamesTheAttachedText() throws IOException {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), LeakTestCase.class);

        Path attached = heard.file("leaks(MeshDevice)", "meshguard-failure.txt");
        assertThat(message(heard, "leaks(MeshDevice)")).contains("\nreport  " + attached + "\nrerun   mvn test");
        assertThat(Files.readString(attached)).contains("\nreport  " + attached + "\n");
    }

    @Test
    void theHistoryGivesTheVerdictThatIsAttached() throws IOException {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), LeakTestCase.class);

        LeakVerdict again = LeakCheck.create()
                .examine(HistoryJson.read(heard.file("leaks(MeshDevice)", "meshguard-history.jsonl")));
        String verdict = Files.readString(heard.file("leaks(MeshDevice)", "meshguard-verdict.json"));

        assertThat(again.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(verdict)
                .contains("\"outcome\" : \"LEAKED\"")
                .contains(VerdictReport.of(again).sections().get(0).headline());
    }

    @Test
    void theHistoryOfATestOnASharedMeshGivesItsVerdictToo() throws IOException {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), SharedMeshTestCase.class);

        assertThat(heard.files).containsOnlyKeys("leaks(MeshDevice)");
        LeakVerdict again = LeakCheck.create()
                .examine(HistoryJson.read(heard.file("leaks(MeshDevice)", "meshguard-history.jsonl")));
        assertThat(again.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(Files.readString(heard.file("leaks(MeshDevice)", "meshguard-verdict.json")))
                .contains(VerdictReport.of(again).sections().get(0).headline());
    }

    @Test
    void saysTheFailureInPairsThatToolsCanGroup() {
        PublishedFiles heard = run(Map.of(), LeakTestCase.class);

        Map<String, String> pairs = heard.pairs.get("leaks(MeshDevice)");
        assertThat(pairs.remove("meshguard.fingerprints")).matches("[0-9a-f]{6}");
        assertThat(pairs)
                .isEqualTo(Map.of(
                        "meshguard.outcome", "LEAKED",
                        "meshguard.leaks", "1",
                        "meshguard.buffers", "8",
                        "meshguard.causes", "LOST",
                        "meshguard.reproduce", "mvn test -Dtest='FailureFilesTests$LeakTestCase#leaks'"));
    }

    @Test
    void attachesNothingToATestThatPasses() {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), CleanTestCase.class);

        assertThat(heard.files).isEmpty();
        assertThat(heard.pairs).containsOnlyKeys("JUnit Jupiter");
    }

    @Test
    void attachesToATestThatWasAborted() {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), AbortedTestCase.class);

        assertThat(heard.files).containsOnlyKeys("aborts(MeshDevice)");
        assertThat(heard.results.get("aborts(MeshDevice)").getStatus()).isEqualTo(TestExecutionResult.Status.ABORTED);
    }

    @Test
    void attachesToATestThatSaidAllOfItItself() {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), AssertedTestCase.class);

        assertThat(heard.files).containsOnlyKeys("asserts(MeshDevice, AllocationTracker)");
        assertThat(heard.pairs.get("asserts(MeshDevice, AllocationTracker)"))
                .containsEntry("meshguard.outcome", "LEAKED")
                .doesNotContainKey("meshguard");
    }

    @Test
    void eachInvocationHasFilesOfItsOwn() throws IOException {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), RepeatedTestCase.class);

        List<Path> files = new ArrayList<>();
        heard.files.values().forEach(of -> files.addAll(of.values()));
        assertThat(files).hasSize(6).doesNotHaveDuplicates().allMatch(Files::exists);
    }

    @Test
    void meshesOfTheWholeRunHaveFilesOfTheirOwn() {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), SuiteTestCase.class, LargerSuiteTestCase.class);

        assertThat(heard.files.get("JUnit Jupiter").keySet())
                .containsExactly(
                        "meshguard-1-failure.txt",
                        "meshguard-1-history.jsonl",
                        "meshguard-1-verdict.json",
                        "meshguard-2-failure.txt",
                        "meshguard-2-history.jsonl",
                        "meshguard-2-verdict.json");
    }

    @Test
    void onlyTheFirstTestsAttachFiles() {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), ManyTestCase.class);

        assertThat(heard.files).hasSize(50);
    }

    @Test
    void writesNoFilesToWhichNoReportWouldRefer() throws IOException {
        PublishedFiles heard = run(Map.of(), LeakTestCase.class);

        assertThat(heard.files).isEmpty();
    }

    @Test
    void writesNoFilesIfThatIsAsked() throws IOException {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString(), "meshguard.attach", "off"), LeakTestCase.class);

        assertThat(heard.files).isEmpty();
        try (Stream<Path> written = Files.list(folder)) {
            assertThat(written).isEmpty();
        }
    }

    @Test
    void aFileThatCannotBeWrittenHidesNothing() throws IOException {
        Path occupied = Files.writeString(folder.resolve("occupied"), "no folder", StandardCharsets.UTF_8);

        PublishedFiles heard = run(Map.of(FOLDER, occupied.toString()), LeakTestCase.class);

        Throwable failure =
                heard.results.get("leaks(MeshDevice)").getThrowable().orElseThrow();
        assertThat(failure)
                .hasMessageStartingWith("LEAK  32 KiB in 8 DRAM buffers, LOST; allocated in FailureFilesTests.java:");
        assertThat(Stream.of(failure.getSuppressed()).map(Throwable::getMessage).collect(Collectors.joining()))
                .isEqualTo("The files of this failure could not be attached; what is written here is all there is.");
    }

    private static PublishedFiles run(Map<String, String> parameters, Class<?>... testClasses) {
        PublishedFiles heard = new PublishedFiles();
        LaunchedRun.launcher(heard).run(parameters, testClasses);
        return heard;
    }

    private static String message(PublishedFiles heard, String test) {
        return String.valueOf(
                heard.results.get(test).getThrowable().orElseThrow().getMessage());
    }

    @TrackAllocations
    static class LeakTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class SharedMeshTestCase {
        @Test
        @Order(1)
        void frees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        @Order(2)
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class CleanTestCase {
        @Test
        void frees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations
    static class AbortedTestCase {
        @Test
        void aborts(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new TestAbortedException("no hardware");
        }
    }

    @TrackAllocations
    static class AssertedTestCase {
        @Test
        void asserts(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            LeakAssertions.assertThat(tracker).noLeaks();
        }
    }

    @TrackAllocations
    static class RepeatedTestCase {
        @RepeatedTest(2)
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class ManyTestCase {
        @RepeatedTest(60)
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 2_048)
        void takesTooMuch(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    static class SuiteTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.SUITE)
    @FakeMesh(rows = 1, columns = 1)
    static class LargerSuiteTestCase {
        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }
    }
}
