package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.capture.WrittenDatabase.Place;
import dev.meshguard.capture.WrittenDatabase.Writer;
import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.capture.evidence.RuntimeEvidence;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.HistoryEvent.ReportsLost;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A capture and a database of one run and rank give one history, that of the capture. */
class JoinedOutputTests {

    private static final Memory RESULT = Memory.l1(0x16b800, 65_536);
    private static final Place SAME = Place.l1(0x16b800, 2048);
    private static final Place WEIGHTS = Place.dram(4096, 2048);

    @TempDir
    private Path folder;

    private final WrittenGraph graph = new WrittenGraph(Age.NEWEST);
    private int relu;

    /** The result of the first operation is freed before the second. */
    @BeforeEach
    void capture() {
        relu = graph.begin("ttnn::relu");
        int buffer = graph.allocate(RESULT);
        graph.end();
        graph.free(buffer, RESULT);
        graph.begin("ttnn::add");
        graph.end().close();
    }

    private WrittenDatabase database(String name, Writer writer) throws SQLException {
        return new WrittenDatabase(folder.resolve(name), writer);
    }

    private void liveDatabase(Place... afterRelu) throws SQLException {
        try (WrittenDatabase database = database("db.sqlite", Writer.LIVE)) {
            database.operation(1, "ttnn.relu", afterRelu);
            database.operation(2, "ttnn.deallocate", WEIGHTS);
            database.operation(3, "ttnn.add", WEIGHTS);
        }
    }

    private Path report(String name, String metadata) throws IOException {
        return Files.writeString(
                folder.resolve(name),
                graph.report(Map.of("metadata", metadata, "per_operation_buffers", "{}", "buffer_pages", "[]")));
    }

    private static String recordedAt(long start, long duration) {
        return "{\"capture_timestamp_ns\": " + start + ", \"total_duration_ns\": " + duration + "}";
    }

    private List<RuntimeOutput> read() throws IOException {
        return RuntimeOutputReader.create().readRanks(folder);
    }

    private RuntimeOutput readOne() throws IOException {
        return RuntimeOutputReader.create().read(folder);
    }

    private static Outcome outcome(RuntimeOutput output) {
        return LeakCheck.create().examine(output.history()).outcome();
    }

    @Test
    void thatAgreesWithTheNodesLeavesTheVerdictAsItIs() throws Exception {
        Path capture = Files.writeString(folder.resolve("graph.json"), graph.json());
        liveDatabase(SAME, WEIGHTS);

        RuntimeOutput output = readOne();

        assertThat(output.name()).isEqualTo(capture.toString());
        assertThat(outcome(output)).isEqualTo(Outcome.LEAK_FREE);
        assertThat(output.notes())
                .contains(
                        "db.sqlite is of the same run.",
                        "2 snapshots were compared with the nodes: all agree.",
                        "Buffers of a snapshot that no node mentions are from before the capture or of another thread, and"
                                + " are not judged: 1 at most at a time.");
    }

    @Test
    void isInconclusiveWithBothNumbersIfTheyContradictEachOther() throws Exception {
        Files.writeString(folder.resolve("graph.json"), graph.json());
        liveDatabase(WEIGHTS);

        RuntimeOutput output = readOne();

        assertThat(outcome(output)).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(output.history().lostReports())
                .extracting(ReportsLost::reason)
                .containsExactly(
                        "after ttnn::relu (node 1) the graph has 1 buffer allocated, and operation 1 of db.sqlite has"
                                + " none of them");
        assertThat(output.historyAfter(relu).lostReports()).hasSize(1);
    }

    @Test
    void hasTheLinesOfTheDatabaseIfTheCaptureHasNone() throws Exception {
        WrittenGraph remaining = new WrittenGraph(Age.NEWEST);
        remaining.begin("ttnn::relu");
        remaining.allocate(RESULT);
        Files.writeString(folder.resolve("graph.json"), remaining.end().close().json());
        try (WrittenDatabase database = database("db.sqlite", Writer.LIVE)) {
            database.operation(1, "ttnn.relu", SAME);
            database.stack(1, "  File \"model.py\", line 57, in forward\n    x = ttnn.relu(x)\n");
        }

        RuntimeOutput output = readOne();

        String line = "[model.forward(model.py:57)]";
        assertThat(output.history().events(Allocated.class))
                .extracting(
                        event -> event.request().origin().orElseThrow().frames().toString())
                .containsExactly(line);
        assertThat(output.remaining())
                .extracting(buffer -> buffer.origin().orElseThrow().frames().toString())
                .containsExactly(line);
    }

    @Test
    void isNotComparedWithSnapshotsThatWereComputedFromACapture() throws Exception {
        Files.writeString(folder.resolve("graph.json"), graph.json());
        try (WrittenDatabase database = database("db.sqlite", Writer.IMPORTER)) {
            database.operation(1, "ttnn.relu", WEIGHTS);
        }

        RuntimeOutput output = readOne();

        assertThat(outcome(output)).isEqualTo(Outcome.LEAK_FREE);
        assertThat(output.notes())
                .contains(
                        "db.sqlite is of the same run. Its snapshots were computed from a capture, so they prove nothing"
                                + " more.");
    }

    @Test
    void isComparedWithSnapshotsOfAnImporterThatHasTheirChunks() throws Exception {
        Files.writeString(folder.resolve("graph.json"), graph.json());
        try (WrittenDatabase database = database("db.sqlite", Writer.IMPORTER)) {
            database.operation(1, "ttnn.relu", WEIGHTS);
            database.execute("CREATE TABLE buffer_chunks (operation_id int, chunk_size int)");
            database.execute("INSERT INTO buffer_chunks VALUES (1, 2048)");
        }

        assertThat(outcome(readOne())).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void isFoundByOverlappingTimesInOtherFolders() throws Exception {
        Files.createDirectories(folder.resolve("reports/18092"));
        Path first = report("first.json", recordedAt(1_000, 500));
        Path second = report("second.json", recordedAt(2_000, 500));
        try (WrittenDatabase database = database("reports/18092/db.sqlite", Writer.IMPORTER)) {
            database.operation(1, "ttnn.relu", SAME);
            database.execute("INSERT INTO report_metadata VALUES ('capture_timestamp_ns', '2100')");
        }

        assertThat(read())
                .extracting(
                        RuntimeOutput::name,
                        output -> output.notes().stream().anyMatch(note -> note.contains("is of the same run")))
                .containsExactly(tuple(first.toString(), false), tuple(second.toString(), true));
    }

    @Test
    void needsTimesThatOverlapIfBothHaveTimes() throws Exception {
        report("graph.json", recordedAt(1_000, 500));
        try (WrittenDatabase database = database("db.sqlite", Writer.IMPORTER)) {
            database.operation(1, "ttnn.relu", SAME);
            database.execute("INSERT INTO report_metadata VALUES ('capture_timestamp_ns', '2100')");
        }

        assertThat(read()).hasSize(2);
    }

    @Test
    void isNotGuessedAmongSeveralCaptures() throws Exception {
        Files.writeString(folder.resolve("a.json"), graph.json());
        Files.writeString(folder.resolve("b.json"), graph.json());
        liveDatabase(SAME);

        assertThat(read()).hasSize(3);
    }

    @Test
    void isNoneIfTheDatabaseHasOtherOperations() throws Exception {
        Files.writeString(folder.resolve("graph.json"), graph.json());
        try (WrittenDatabase database = database("db.sqlite", Writer.LIVE)) {
            database.operation(1, "ttnn.add", SAME);
            database.operation(2, "ttnn.relu", SAME);
        }

        assertThat(read()).hasSize(2);
    }

    @Test
    void isFoundInACompressedDatabase() throws Exception {
        Files.writeString(folder.resolve("graph.json"), graph.json());
        liveDatabase(SAME, WEIGHTS);
        Path plain = folder.resolve("db.sqlite");
        try (OutputStream compressed = new GZIPOutputStream(Files.newOutputStream(folder.resolve("db.sqlite.gz")))) {
            Files.copy(plain, compressed);
        }
        Files.delete(plain);

        RuntimeOutput output = readOne();

        assertThat(output.notes())
                .contains("db.sqlite.gz is of the same run.", "2 snapshots were compared with the nodes: all agree.");
    }

    @Test
    void hasNoOperationNumbersOfItsOwn() throws Exception {
        Files.writeString(folder.resolve("graph.json"), graph.json());
        liveDatabase(SAME, WEIGHTS);
        RuntimeEvidence log =
                RuntimeEvidence.read(new ByteArrayInputStream("a line".getBytes(StandardCharsets.UTF_8)), "a.log");
        String reason =
                "it is a folder of 2 files, each of which numbers its operations itself, and operation 1 is of one."
                        + " Give that file alone";

        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().judgedAfter(1).read(folder))
                .withMessage(reason);
        assertThatIOException()
                .isThrownBy(
                        () -> RuntimeOutputReader.create().evidenceAfter(1, log).read(folder))
                .withMessage(reason);
    }

    @Test
    void ofOneRankIsThatOfItsFiles() throws Exception {
        report("graph_1_of_2.json", "{\"rank\": 0, \"world_size\": 2}");
        Path second = report("graph_2_of_2.json", "{\"rank\": 1, \"world_size\": 2}");

        assertThat(RuntimeOutputReader.create().ofRank(1).read(folder).name()).isEqualTo(second.toString());
    }

    @Test
    void isOneForEachRank() throws Exception {
        report("graph_1_of_2.json", "{\"rank\": 0, \"world_size\": 2}");
        report("graph_2_of_2.json", "{\"rank\": 1, \"world_size\": 2}");
        try (WrittenDatabase database = database("db.sqlite", Writer.IMPORTER_OF_RANKS)) {
            database.execute("CREATE TABLE buffer_chunks (operation_id int, chunk_size int)");
            database.execute("INSERT INTO buffer_chunks VALUES (1, 2048)");
            database.operation(1, "ttnn.relu", SAME);
            database.rank(1).operation(1, "ttnn.relu", WEIGHTS);
        }

        assertThat(read())
                .extracting(output -> output.rank().orElseThrow(), JoinedOutputTests::outcome)
                .containsExactly(tuple(0, Outcome.LEAK_FREE), tuple(1, Outcome.INCONCLUSIVE));
    }
}
