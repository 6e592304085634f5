package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.capture.WrittenDatabase.Place;
import dev.meshguard.capture.WrittenDatabase.Writer;
import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Trend;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuntimeOutputReaderTests {

    private static final RuntimeOutputReader ROUNDS =
            RuntimeOutputReader.create().roundsAt(Pattern.compile("^forward$"));

    @TempDir
    private Path folder;

    private Path databaseOfRanks() throws SQLException {
        Path file = folder.resolve("db.sqlite");
        try (WrittenDatabase database = new WrittenDatabase(file, Writer.IMPORTER_OF_RANKS)) {
            database.operation(1, "ttnn.ones", Place.dram(4_096, 2_048));
            database.rank(1).operation(1, "ttnn.relu", Place.dram(4_096, 2_048));
        }
        return file;
    }

    @Test
    void aFileThatIsMissingIsAnErrorWithTheWayOut() {
        Path missing = folder.resolve("missing.json");

        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().read(missing))
                .isInstanceOf(NoSuchFileException.class)
                .withMessage(missing + ": There is no such file. Give the path of one");
        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().read(Path.of("missing.json")))
                .withMessage("missing.json: There is no such file. Give the path of one; it is looked up in "
                        + Path.of("").toAbsolutePath());
        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().read(folder))
                .withMessage(folder + ": It is a folder. Give the path of a file");
    }

    @Test
    void roundsGoFromEachRunOfAnOutermostOperationToTheNext() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        for (int round = 0; round < 4; round++) {
            graph.begin("forward");
            graph.allocate(Memory.l1(4096L * (round + 1), 64));
            graph.begin("forward");
            graph.end().end();
        }

        Accumulation rounds = Accumulation.of(
                ROUNDS.read(stream(graph.close().json()), "graph.json").history());

        assertThat(rounds).extracting(Accumulation::rounds, Accumulation::trend).containsExactly(4, Trend.GROWING);
    }

    @Test
    void roundsOfADatabaseGoFromEachRunOfAnOperationToTheNext() throws Exception {
        Path file = folder.resolve("db.sqlite");
        try (WrittenDatabase database = new WrittenDatabase(file, Writer.LIVE)) {
            for (int operation = 1; operation <= 8; operation++) {
                database.operation(operation, operation % 2 == 1 ? "forward" : "ttnn.relu");
                for (int kept = 0; kept <= operation / 2; kept++) {
                    database.snapshot(operation, Place.l1(0x16b800 - 2_048L * kept, 2_048));
                }
            }
        }

        Accumulation rounds = Accumulation.of(ROUNDS.read(file).history());

        assertThat(rounds).extracting(Accumulation::rounds, Accumulation::trend).containsExactly(4, Trend.GROWING);
    }

    @Test
    void thereIsNoAdviceForABufferOfTheRuntime() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn.matmul");
        graph.circularBuffer(0, 4096, false);
        graph.allocate(Memory.dram(4_096, 64));
        graph.end().close();

        assertThat(VerdictReport.of(LeakCheck.create().examine(graph.read().history()))
                        .text())
                .doesNotContain("fix ", "may have leaked");
    }

    @Test
    void eachDocumentOfAFileIsACaptureAndIsJudged() throws IOException {
        WrittenGraph clean = new WrittenGraph(Age.NEWEST);
        WrittenGraph leaking = new WrittenGraph(Age.NEWEST);
        leaking.allocate(Memory.l1(4_096, 64));
        String both = clean.close().json() + leaking.close().report();

        List<RuntimeOutput> captures =
                RuntimeOutputReader.create().judgedAtEnd().readRanks(stream(both), "graph.json");

        assertThat(captures)
                .extracting(
                        RuntimeOutput::name,
                        capture -> LeakCheck.create().examine(capture.history()).outcome())
                .containsExactly(
                        tuple("graph.json (capture 1 of 2)", Outcome.LEAK_FREE),
                        tuple("graph.json (capture 2 of 2)", Outcome.LEAKED));
        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().read(stream(both), "graph.json"))
                .withMessageContaining("has 2 captures");
    }

    @Test
    void oneOfSeveralRanksIsChosen() throws Exception {
        Path file = databaseOfRanks();

        assertThat(RuntimeOutputReader.create().ofRank(1).read(file).rank()).hasValue(1);
        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().read(file))
                .withMessage("it was recorded by 2 processes (ranks 0, 1), each with its own history."
                        + " RuntimeOutputReader.readRanks and meshguard analyze give all of them, and ofRank and --rank"
                        + " one");
        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().ofRank(2).read(file))
                .withMessage("it has no rank 2. Leave the rank out to read all that it has");
        assertThatThrownBy(() -> RuntimeOutputReader.create().ofRank(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Rank -1: ranks are numbered from 0");
    }

    @Test
    void aFileWithoutRanksIsOfRankZero() throws IOException {
        String json = new WrittenGraph(Age.NEWEST).close().json();

        assertThat(RuntimeOutputReader.create()
                        .ofRank(0)
                        .read(stream(json), "graph.json")
                        .rank())
                .isEmpty();
        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().ofRank(1).read(stream(json), "graph.json"))
                .withMessageStartingWith("it has no rank 1. ");
    }

    /** SQLite makes files beside a database with a log to read it, and a reader that may not write would leave them there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDatabaseIsNotChangedAndHasNothingBesideItAfterReading(boolean hasLog) throws Exception {
        Path file = databaseOfRanks();
        if (hasLog) {
            withWriteAheadLog(file).close();
        }
        byte[] before = Files.readAllBytes(file);

        assertThat(RuntimeOutputReader.create().readRanks(file))
                .extracting(RuntimeOutput::format, RuntimeOutput::records, RuntimeOutput::reports)
                .containsOnly(tuple(OutputFormat.REPORT_DATABASE, 1L, 1L));

        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aDatabaseIsReadWithTheLogOfItsWriter() throws Exception {
        Path file = databaseOfRanks();

        try (Connection writer = withWriteAheadLog(file);
                Statement statement = writer.createStatement()) {
            statement.execute("INSERT INTO operations (operation_id, name, rank) VALUES (2, 'ttnn.add', 0)");
            Path link = Files.createSymbolicLink(folder.resolve("link"), file);

            for (Path path : List.of(file, link)) {
                assertThat(RuntimeOutputReader.create().ofRank(0).read(path).records())
                        .isEqualTo(2);
            }
        }
    }

    private static Connection withWriteAheadLog(Path file) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            return connection;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE"})
    void aCaptureIsReadInEachEncodingOfJson(String encoding) throws IOException {
        byte[] json = "[{\"node_type\": \"capture_start\"}, {\"node_type\": \"capture_end\"}]".getBytes(encoding);

        assertThat(OutputFormat.of(new ByteArrayInputStream(json))).contains(OutputFormat.GRAPH_CAPTURE);
        assertThat(RuntimeOutputReader.create()
                        .read(new ByteArrayInputStream(json), "graph.json")
                        .records())
                .isEqualTo(2);
    }

    @Test
    void aDatabaseIsNotReadFromACompressedStream() throws Exception {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(Files.readAllBytes(databaseOfRanks()));
        }

        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create()
                        .read(new ByteArrayInputStream(compressed.toByteArray()), "standard input"))
                .withMessage("it is a database of SQLite in a stream. Give the path of a file that is not compressed");
    }

    @Test
    void aDamagedDatabaseIsAnErrorThatSaysWhatItIs() throws Exception {
        Path file = databaseOfRanks();
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 1_000));

        assertThatIOException()
                .isThrownBy(() -> RuntimeOutputReader.create().read(file))
                .withMessageStartingWith("SQLite cannot read it: ");
    }

    private static ByteArrayInputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
