package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.testkit.JupiterRun;
import dev.meshguard.junit.testkit.RunAssert;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With {@code meshguard.record} the history of every check is written to a folder. */
class RecordedHistoriesTests {

    private static final String LEAKS = "TypicalTestCase$CleanAndLeak#leaks";
    private static final String CLEAN = "TypicalTestCase$CleanAndLeak#freesAll";

    @TempDir
    private Path folder;

    @Test
    void ofTestsThatFailAndOfTestsThatPass() throws IOException {
        run(Map.of("meshguard.record", folder.toString()));

        assertThat(files(folder)).containsExactly(CLEAN + ".jsonl", LEAKS + ".jsonl");
        assertThat(outcome(folder.resolve(LEAKS + ".jsonl"))).isEqualTo(Outcome.LEAKED);
        assertThat(outcome(folder.resolve(CLEAN + ".jsonl"))).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void leavesWhatIsThere() throws IOException {
        Files.writeString(folder.resolve(LEAKS + ".jsonl"), "of another JVM");

        run(Map.of("meshguard.record", folder.toString()));

        assertThat(folder.resolve(LEAKS + ".jsonl")).hasContent("of another JVM");
        assertThat(outcome(folder.resolve(LEAKS + "-2.jsonl"))).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void whatCannotBeWrittenFailsNoTestAndIsSaid() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");

        RunAssert.Results results = run(Map.of("meshguard.record", file.toString()));

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

    private static RunAssert.Results run(Map<String, String> parameters) {
        return JupiterRun.run(TypicalTestCase.CleanAndLeak.class, parameters);
    }
}
