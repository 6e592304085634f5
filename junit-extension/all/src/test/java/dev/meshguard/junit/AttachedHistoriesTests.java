package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.FileEntry;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * A failed test has its history attached, to which a report refers, and announces the file on standard output; on request, the
 * history of each check is written to a folder.
 *
 * <p>A passing test attaches nothing, and a write error hides no finding.
 */
class AttachedHistoriesTests {

    private static final String LEAKS = "TypicalTestCase$CleanAndLeak#leaks";
    private static final String CLEAN = "TypicalTestCase$CleanAndLeak#freesAll";
    private static final String FOLDER = "junit.platform.reporting.output.dir";
    private static final String CAPTURED_OUTPUT = "junit.platform.output.capture.stdout";

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

        Path history(String test) {
            return files.get(test).get("meshguard-history.jsonl");
        }
    }

    @Test
    void attachesTheHistoryThatGivesTheVerdictAgain() throws IOException {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), TypicalTestCase.Leak.class);

        assertThat(heard.types)
                .isEqualTo(Map.of(
                        "leaks(MeshDevice)", Map.of("meshguard-history.jsonl", "application/x-ndjson; charset=UTF-8")));
        Path history = heard.history("leaks(MeshDevice)");
        assertThat(history).startsWith(folder);
        assertGivesVerdictOf(heard, "leaks(MeshDevice)");
    }

    @Test
    void theHistoryOfATestOnASharedMeshGivesItsVerdictToo() throws IOException {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), TypicalTestCase.Shared.class);

        assertThat(heard.files).containsOnlyKeys("leaks(MeshDevice)");
        assertGivesVerdictOf(heard, "leaks(MeshDevice)");
    }

    private static void assertGivesVerdictOf(PublishedFiles heard, String test) throws IOException {
        LeakVerdict again = LeakCheck.create().examine(HistoryJson.read(heard.history(test)));
        assertThat(again.outcome()).isEqualTo(Outcome.LEAKED);
        assertThat(message(heard, test))
                .startsWith(VerdictReport.of(again).sections().get(0).headline());
    }

    @Test
    void announcesTheHistoryInOneLineOfStandardOutput() {
        PublishedFiles heard =
                run(Map.of(FOLDER, folder.toString(), CAPTURED_OUTPUT, "true"), TypicalTestCase.Leak.class);

        assertThat(heard.pairs.get("leaks(MeshDevice)").get("stdout").lines())
                .containsExactly(
                        "[[ATTACHMENT|" + heard.history("leaks(MeshDevice)").toAbsolutePath() + "]]");
    }

    @Test
    void attachesAndAnnouncesNothingOfATestThatPasses() {
        PublishedFiles heard =
                run(Map.of(FOLDER, folder.toString(), CAPTURED_OUTPUT, "true"), TypicalTestCase.Clean.class);

        assertThat(heard.files).isEmpty();
        assertThat(heard.pairs).containsOnlyKeys("JUnit Jupiter");
        assertThat(heard.pairs.values()).noneMatch(pairs -> pairs.containsKey("stdout"));
    }

    @Test
    void attachesToATestThatWasAborted() {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), TypicalTestCase.Aborted.class);

        assertThat(heard.files).containsOnlyKeys("aborts(MeshDevice)");
    }

    @Test
    void attachesToATestThatSaidAllOfItItself() {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), TypicalTestCase.Asserted.class);

        assertThat(heard.files).containsOnlyKeys("asserts(MeshDevice, AllocationTracker)");
        assertThat(heard.pairs).doesNotContainKey("asserts(MeshDevice, AllocationTracker)");
    }

    @Test
    void onlyTheFirstFailuresAttachTheirHistory() {
        PublishedFiles heard = run(Map.of(FOLDER, folder.toString()), ManyTestCase.class);

        assertThat(heard.files).hasSize(50);
    }

    @Test
    void writesNoFileToWhichNoReportWouldRefer() {
        PublishedFiles heard = run(Map.of(), TypicalTestCase.Leak.class);

        assertThat(heard.files).isEmpty();
    }

    @Test
    void aFileThatCannotBeWrittenHidesNothing() throws IOException {
        Path occupied = Files.writeString(folder.resolve("occupied"), "no folder", StandardCharsets.UTF_8);

        PublishedFiles heard = run(Map.of(FOLDER, occupied.toString()), TypicalTestCase.Leak.class);

        Throwable failure =
                heard.results.get("leaks(MeshDevice)").getThrowable().orElseThrow();
        assertThat(failure)
                .hasMessageStartingWith("LEAK  32 KiB in 8 DRAM buffers, LOST; allocated in TypicalTestCase.java:");
        assertThat(Stream.of(failure.getSuppressed()).map(Throwable::getMessage).collect(Collectors.joining()))
                .isEqualTo("The history of this failure could not be attached; what is written here is all there is.");
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
    static class ManyTestCase {
        @RepeatedTest(60)
        @MemoryBudget(type = BufferType.DRAM, peakBytes = 2_048)
        void takesTooMuch(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    // With meshguard.record, the history of every check is written to a folder

    @Test
    void recordsTestsThatFailAndTestsThatPass() throws IOException {
        recordIn(folder);

        assertThat(files(folder)).containsExactly(CLEAN + ".jsonl", LEAKS + ".jsonl");
        assertThat(outcome(folder.resolve(LEAKS + ".jsonl"))).isEqualTo(Outcome.LEAKED);
        assertThat(outcome(folder.resolve(CLEAN + ".jsonl"))).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aRecordLeavesWhatIsThere() throws IOException {
        Files.writeString(folder.resolve(LEAKS + ".jsonl"), "of another JVM");

        recordIn(folder);

        assertThat(folder.resolve(LEAKS + ".jsonl")).hasContent("of another JVM");
        assertThat(outcome(folder.resolve(LEAKS + "-2.jsonl"))).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void aRecordThatCannotBeWrittenFailsNoTestAndIsSaid() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");

        RunAssert.Results results = recordIn(file);

        RunAssert.assertThat(results).hasOnlyFailed("leaks(MeshDevice)");
        results.events().testEvents().assertStatistics(events -> events.reportingEntryPublished(2));
    }

    private static Outcome outcome(Path file) throws IOException {
        return LeakCheck.create().examine(HistoryJson.read(file)).outcome();
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    private static RunAssert.Results recordIn(Path folder) {
        return JupiterRun.run(TypicalTestCase.CleanAndLeak.class, Map.of("meshguard.record", folder.toString()));
    }
}
