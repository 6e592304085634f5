package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a folder, each file of the runtime is read as if it were given alone. */
class OutputFolderTests {

    @TempDir
    private Path folder;

    private static String report(int rank) {
        return new WrittenGraph(Age.NEWEST).close().report(rank, 2);
    }

    @Test
    void hasAHistoryForEachFileAndRank() throws IOException {
        Path run = Files.createDirectories(folder.resolve("reports/18092"));
        Path first = Files.writeString(run.resolve("graph_capture_1_of_2.json"), report(0));
        Path second = Files.writeString(run.resolve("graph_capture_2_of_2.json"), report(1));
        Files.writeString(run.resolve("config.json"), "{\"cache_path\": \"/root\"}");
        Files.writeString(run.resolve("run.log"), "passed");

        assertThat(RuntimeOutputReader.create().readRanks(folder))
                .extracting(RuntimeOutput::name, RuntimeOutput::rank)
                .containsExactly(
                        tuple(first.toString(), OptionalInt.of(0)), tuple(second.toString(), OptionalInt.of(1)));
    }

    @Test
    void skipsTheFilesBesideACapture() throws IOException {
        Path capture = Files.writeString(folder.resolve("graph.json"), report(0));
        Files.writeString(
                folder.resolve("graph.comparison_records.json"),
                "{\"version\": 1, \"local_tensor_comparison_records\": []}");
        Files.writeString(folder.resolve("graph.python_io.json"), "[{\"name\": \"ttnn.relu\"}]");

        assertThat(RuntimeOutput.read(folder).name()).isEqualTo(capture.toString());
    }

    @Test
    void namesTheFilesThatCannotBeRead() throws IOException {
        String whole = report(0);
        Files.writeString(folder.resolve("a.json"), whole);
        Path cut = Files.writeString(folder.resolve("b.json"), "[");
        Path empty = Files.writeString(folder.resolve("c.json"), "");
        Path noDatabase = Files.writeString(folder.resolve("db.sqlite"), "SQLite");
        Path spoilt = Files.writeString(folder.resolve("e.json"), "\0" + whole);
        Path withoutGraph = Files.writeString(folder.resolve("f.json"), "{\"version\": 1, \"devices\": [");

        assertThat(RuntimeOutputReader.create().readRanks(folder))
                .filteredOn(
                        output -> LeakCheck.create().examine(output.history()).outcome() == Outcome.INCONCLUSIVE)
                .extracting(RuntimeOutput::name)
                .containsExactlyInAnyOrder(
                        cut.toString(),
                        empty.toString(),
                        noDatabase.toString(),
                        spoilt.toString(),
                        withoutGraph.toString());
    }

    @Test
    void isNoSingleOutputIfItHasSeveral() throws IOException {
        Path first = Files.writeString(folder.resolve("a.json"), report(0));
        Path second = Files.writeString(folder.resolve("b.json"), report(1));

        assertThatIOException()
                .isThrownBy(() -> RuntimeOutput.read(folder))
                .withMessage("it has 2 recordings (" + first + ", " + second + "), each with its own history."
                        + " RuntimeOutputReader.readRanks and meshguard analyze give all of them");
    }

    @Test
    void hasAHistoryForEachCaptureAndDatabase() throws Exception {
        Path capture = Files.writeString(folder.resolve("graph.json"), report(0));
        Path database = folder.resolve("db.sqlite");
        try (WrittenDatabase written = new WrittenDatabase(database, WrittenDatabase.Writer.LIVE)) {
            written.operation(1, "ttnn.relu", WrittenDatabase.Place.l1(0x16b800, 2048));
        }

        assertThat(RuntimeOutputReader.create().readRanks(folder))
                .extracting(RuntimeOutput::name, RuntimeOutput::format)
                .containsExactly(
                        tuple(database.toString(), OutputFormat.REPORT_DATABASE),
                        tuple(capture.toString(), OutputFormat.GRAPH_CAPTURE));
    }

    @Test
    void ofOneRankIsThatOfItsFiles() throws IOException {
        Files.writeString(folder.resolve("graph_1_of_2.json"), report(0));
        Path second = Files.writeString(folder.resolve("graph_2_of_2.json"), report(1));

        assertThat(RuntimeOutputReader.create().ofRank(1).read(folder).name()).isEqualTo(second.toString());
        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().ofRank(2).read(folder))
                .withMessage("it has no rank 2. Leave the rank out to read all that it has");
    }

    @Test
    void isRejectedWithoutAFileOfTheRuntime() throws IOException {
        Files.writeString(folder.resolve("run.log"), "passed");

        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().readRanks(folder))
                .withMessage("it is a folder without a graph capture or a database, also 4 folders deep. Logs are read"
                        + " only by name: " + folder + "/*.log");
    }
}
