package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.capture.WrittenDatabase.Place;
import dev.meshguard.capture.WrittenDatabase.Writer;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Rounds;
import dev.meshguard.verdict.growth.Trend;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReportDatabaseTests {

    private static final Place WEIGHTS = Place.dram(4096, 2048);
    private static final Place INPUT = Place.l1(0x16c000, 2048);
    private static final Place OUTPUT = Place.l1(0x16b800, 2048);

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("db.sqlite");
    }

    private WrittenDatabase database(Writer writer) throws SQLException {
        return new WrittenDatabase(file(), writer);
    }

    private void writeOneOperation() throws SQLException {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
        }
    }

    private static LeakVerdict verdict(RuntimeOutput output) {
        return LeakCheck.create().examine(output.history());
    }

    private LeakVerdict verdict() throws IOException {
        return verdict(RuntimeOutput.read(file()));
    }

    private List<String> losses() throws IOException {
        return RuntimeOutput.read(file()).history().events(HistoryEvent.ReportsLost.class).stream()
                .map(HistoryEvent.ReportsLost::reason)
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void namesTheCallThatAllocatedABufferThatRemains(Writer writer) throws Exception {
        try (WrittenDatabase database = database(writer)) {
            database.operation(1, "ttnn.to_memory_config", WEIGHTS);
            database.operation(2, "ttnn.matmul");
            database.stack(2, """
                      File "models/decoder.py", line 57, in forward
                        x = ttnn.matmul(x, w)
                      File "demo.py", line 9, in <module>
                        main()
                    """);
            database.tensor(41, "Shape([1, 1, 32, 1024])", OUTPUT);
            database.output(2, 41);
            database.snapshot(2, WEIGHTS, OUTPUT);
            database.operation(3, "ttnn.relu");
            database.input(3, 41);
            database.snapshot(3, WEIGHTS, OUTPUT);
        }

        RuntimeOutput output = RuntimeOutputReader.create().judgedAtEnd().read(file());

        assertThat(output.remaining())
                .containsExactly(new RemainingBuffer(
                        OptionalInt.empty(),
                        0,
                        BufferType.L1,
                        OptionalLong.of(0x16b800),
                        2048,
                        Optional.of("ttnn.matmul (operation 2)"),
                        Optional.of(new Origin(List.of(
                                new StackTraceElement("decoder", "forward", "models/decoder.py", 57),
                                new StackTraceElement("demo", "<module>", "demo.py", 9)))),
                        List.of(new RemainingBuffer.Tensor(
                                OptionalInt.empty(),
                                OptionalLong.of(41),
                                Optional.of("Shape([1, 1, 32, 1024])"),
                                List.of("ttnn.relu (operation 3)")))));
        assertThat(VerdictReport.of(verdict(output)).text()).isEqualTo("""
                LEAK  2 KiB in 1 L1 buffer was never freed; allocated in models/decoder.py:57

                1. L1  2 KiB on device 0, label "Shape([1, 1, 32, 1024])", owned by ttnn.matmul
                   at decoder.forward(models/decoder.py:57)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before the program ends.
                   seen  allocated in ttnn.matmul (operation 2) (event #3)

                note    A database has snapshots after each operation: what was freed before the next one is not in it.
                note    Buffers of the first snapshot that its operation did not demonstrably allocate are not judged: 1, of which 0
                        freed.
                note    1 buffer has the size of the fullest bank, because no captured_graph has the whole size.
                limits  no allocator snapshot: rests on the reports alone
                sum     1 allocated = 0 freed + 1 leaked
                expect  L1 device 0 size 2048 count atMost 1 label "Shape([1, 1, 32, 1024])" origin "decoder.forward" because "…"\
                """);
    }

    @Test
    void cannotKnowWhatBecomesOfABufferThatRemains() throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.operation(2, "ttnn.relu", WEIGHTS, OUTPUT);
        }

        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(RuntimeOutput.read(file()).remaining().get(0).operation()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void findsNothingIfAllBuffersWereFreed(Writer writer) throws Exception {
        try (WrittenDatabase database = database(writer)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.operation(2, "ttnn.relu", WEIGHTS, OUTPUT);
            database.operation(3, "ttnn.deallocate", WEIGHTS);
        }

        RuntimeOutput output = RuntimeOutput.read(file());

        assertThat(verdict(output).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(output)
                .extracting(RuntimeOutput::format, RuntimeOutput::records, RuntimeOutput::reports)
                .containsExactly(OutputFormat.REPORT_DATABASE, 3L, 4L);
        assertThat(output.notes())
                .contains(
                        "Buffers of the first snapshot that its operation did not demonstrably allocate are not judged: 1,"
                                + " of which 0 freed.");
    }

    @Test
    void blamesTheFirstOperationForItsResult() throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.operation(1, "ttnn.relu_");
            database.tensor(1, "Shape([32, 32])", INPUT);
            database.tensor(2, "Shape([32, 64])", OUTPUT);
            database.tensor(3, "Shape([32, 32])", INPUT);
            database.input(1, 1);
            database.output(1, 2);
            database.output(1, 3);
            database.snapshot(1, INPUT, OUTPUT);
        }

        assertThat(RuntimeOutput.read(file()).remaining())
                .extracting(RemainingBuffer::address)
                .containsExactly(OptionalLong.of(OUTPUT.address()));
    }

    @Test
    void takesSizesAndReusedAddressesFromTheGraphs() throws Exception {
        WrittenGraph reuse = new WrittenGraph(WrittenGraph.Age.NEWEST);
        reuse.begin("ttnn.add");
        WrittenGraph.Memory memory = new WrittenGraph.Memory("L1", 1, 0, OUTPUT.address(), 131_072);
        reuse.free(reuse.buffer(memory), memory);
        reuse.allocate(memory);
        reuse.circularBuffer(0, 4096, false);
        reuse.end();
        try (WrittenDatabase database = database(Writer.IMPORTER)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.operation(2, "ttnn.relu", WEIGHTS, OUTPUT);
            database.operation(3, "ttnn.add");
            database.graph(3, reuse.close().json());
            database.snapshot(3, WEIGHTS, OUTPUT);
        }

        RuntimeOutput output = RuntimeOutput.read(file());

        assertThat(output.remaining())
                .extracting(RemainingBuffer::size, RemainingBuffer::operation)
                .containsExactly(tuple(131_072L, Optional.of("ttnn.add (operation 3)")));
        assertThat(output.history().events(HistoryEvent.Freed.class)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void doesNotBlameAnOperationForMemoryOfTheRuntimeUnlessItDidNotReturn(boolean isReturned) throws Exception {
        WrittenGraph graph = new WrittenGraph(WrittenGraph.Age.NEWEST);
        graph.begin("ttnn.relu");
        graph.circularBuffer(0, 4096, false);
        graph.allocate(new WrittenGraph.Memory("DRAM", 0, 0, 1_024, 10_240));
        graph.end();
        try (WrittenDatabase database = database(Writer.IMPORTER)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.operation(2, "ttnn.relu", WEIGHTS, Place.dram(1_024, 2_048));
            database.graph(2, graph.close().json());
            if (!isReturned) {
                database.error(2, "ttnn.relu", "RuntimeError", "TT_FATAL");
            }
        }

        assertThat(verdict().outcome()).isEqualTo(isReturned ? Outcome.EXPECTED_ONLY : Outcome.INCONCLUSIVE);
        assertThat(RuntimeOutput.read(file()).notes())
                .anyMatch(note -> note.startsWith("1 buffer was allocated without a tensor inside an operation"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{",
                "[5]",
                "[{\"node_type\":\"buffer_allocate\",\"params\":{\"address\":64,\"type\":\"L1\",\"device_id\":-3}}]"
            })
    void cannotKnowIfAGraphIsDamaged(String graph) throws Exception {
        try (WrittenDatabase database = database(Writer.IMPORTER)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.graph(1, graph);
        }

        assertThat(losses()).containsExactly("the captured_graph of ttnn.ones (operation 1) is damaged");
    }

    @ParameterizedTest
    @ValueSource(longs = {1_024, 2_048})
    void cannotKnowWhichOfTwoBuffersIsAtAnAddress(long size) throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.operation(1, "ttnn.ones", WEIGHTS, Place.dram(4096, size));
        }

        assertThat(losses())
                .containsExactly("the snapshot after ttnn.ones (operation 1) has two DRAM buffers at 0x1000");
    }

    @Test
    void cannotKnowIfAGraphContradictsTheSnapshot() throws Exception {
        WrittenGraph graph = new WrittenGraph(WrittenGraph.Age.NEWEST);
        graph.begin("ttnn.add");
        WrittenGraph.Memory dram = new WrittenGraph.Memory("DRAM", 0, 0, OUTPUT.address(), 4096);
        graph.free(graph.buffer(dram), dram);
        graph.allocate(new WrittenGraph.Memory("L1", 1, 0, 0x10000, 4096));
        graph.end();
        try (WrittenDatabase database = database(Writer.IMPORTER)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.operation(2, "ttnn.relu", WEIGHTS, OUTPUT);
            database.operation(3, "ttnn.add");
            database.graph(3, graph.close().json());
            database.snapshot(3, WEIGHTS);
        }

        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(losses())
                .containsExactly(
                        "ttnn.add (operation 3) allocates a buffer at 0x10000 that the snapshot at its end does not have",
                        "the snapshot after ttnn.add (operation 3) does not have the L1 buffer at 0x16b800, and the"
                                + " operation freed another one at that address");
    }

    /** Writes an operation whose result, tensor 2, is allocated at its end. */
    private WrittenDatabase databaseWithAResult() throws SQLException {
        WrittenDatabase database = database(Writer.IMPORTER);
        database.operation(1, "ttnn.relu", OUTPUT);
        database.tensor(2, "Shape([32, 64])", OUTPUT);
        database.output(1, 2);
        return database;
    }

    @Test
    void takesAnEmptySnapshotForOneIfTheOperationFreesTheLastBuffer() throws Exception {
        try (WrittenDatabase database = databaseWithAResult()) {
            database.operation(2, "ttnn.deallocate");
            database.input(2, 2);
        }

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ttnn.add", "ttnn.deallocate"})
    void takesAnEmptySnapshotForAMissingOneIfTheOperationNeedNotFreeTheLastBuffer(String operation) throws Exception {
        try (WrittenDatabase database = databaseWithAResult()) {
            database.operation(2, operation);
            database.tensor(3, "Shape([32, 64])", INPUT);
            database.input(2, 3);
        }

        assertThat(losses())
                .containsExactly("no snapshot follows " + operation
                        + " (operation 2), so it is not known what was allocated after it");
    }

    @Test
    void takesAnEmptySnapshotForAMissingOneIfTheOperationHasAResultOrMayHaveOne() throws Exception {
        try (WrittenDatabase database = databaseWithAResult()) {
            database.operation(2, "ttnn.deallocate");
            database.input(2, 2);
            database.operation(3, "ttnn.add");
            database.tensor(3, "Shape([32, 64])", INPUT);
            database.output(3, 3);
        }

        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM output_tensors WHERE operation_id = 3");
        }

        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"DELETE FROM buffers", "UPDATE buffers SET address = 'x'", "UPDATE buffers SET address = 99"})
    void cannotKnowWhetherABufferFromBeforeWasAllocatedAgainIfASnapshotLacksIt(String change) throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            for (int operation = 1; operation <= 3; operation++) {
                database.operation(operation, "ttnn.ones", WEIGHTS, Place.dram(8_192, 2_048));
            }
            database.execute(change + " WHERE operation_id = 2 AND address = " + WEIGHTS.address());
        }

        assertThat(verdict(RuntimeOutputReader.create().judgedAtEnd().read(file()))
                        .outcome())
                .isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void cannotKnowWhatAFurtherReportDoesNotHave() throws Exception {
        try (WrittenDatabase database = databaseWithAResult()) {
            database.operation(10_001, "ttnn.add", WEIGHTS);
            database.operation(10_002, "ttnn.add", INPUT);
            database.tensor(3, "Shape([32, 64])", INPUT);
            database.output(10_002, 3);
            database.operation(10_003, "ttnn.deallocate");
            database.input(10_003, 3);
        }

        assertThat(losses())
                .containsExactly("the database has several reports, and the first snapshot of the one with ttnn.add"
                        + " (operation 10001) does not have 1 buffer of those before");
    }

    /** Only an importer begins the numbers of a further report at 10000. */
    @Test
    void doesNotTakeAGapInTheNumbersOfALiveWriterForAFurtherReport() throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.operation(9_998, "ttnn.ones", WEIGHTS);
            database.operation(9_999, "ttnn.relu", WEIGHTS, OUTPUT);
            database.operation(10_001, "ttnn.add", WEIGHTS);
        }

        assertThat(verdict().outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    /** Some versions of the importer do not list an operation that an exception left. */
    @Test
    void knowsAnOperationThatOnlyTheErrorsList() throws Exception {
        try (WrittenDatabase database = database(Writer.IMPORTER)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.error(2, "ttnn.relu", "RuntimeError", "TT_FATAL");
            database.snapshot(2, WEIGHTS);
        }

        assertThat(losses()).isEmpty();
        assertThat(RuntimeOutput.read(file()).notes())
                .contains("An exception left ttnn.relu (operation 2): \"RuntimeError: TT_FATAL\".");
    }

    @Test
    void cannotKnowWhatAnOperationDidThatIsNotListed() throws Exception {
        try (WrittenDatabase database = databaseWithAResult()) {
            database.operation(2, "ttnn.ones", WEIGHTS);
            database.input(7, 2);
            database.snapshot(8, WEIGHTS);
        }

        assertThat(losses())
                .containsExactly(
                        "the table operations does not list 2 operations of other tables, the first is operation 7");
    }

    @Test
    void cannotKnowWhichBuffersOfTheFirstSnapshotAreOfAnOperationWhoseResultIsNotThere() throws Exception {
        try (WrittenDatabase database = databaseWithAResult()) {
            database.execute("UPDATE tensors SET buffer_type = 0");
        }

        assertThat(losses())
                .containsExactly(
                        "ttnn.relu (operation 1) allocates a buffer at 0x16b800 that the snapshot at its end does not have");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ttnn.relu", "ttnn.deallocate"})
    void cannotKnowWhatACrashLeftBehindOrFreed(String crashed) throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.tensor(1, "Shape([32, 64])", WEIGHTS);
            database.crash(2, crashed);
            database.input(2, 1);
        }

        assertThat(verdict().outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void cannotKnowWithoutSnapshots() throws Exception {
        try (WrittenDatabase database = database(Writer.IMPORTER)) {
            database.operation(1, "ttnn.ones");
        }

        assertThat(losses()).containsExactly("the database has no snapshot: its table buffers is empty");
    }

    @Test
    void findsTheGrowthOverTheRunsOfAnOperation() throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            List<Place> kept = new ArrayList<>(List.of(WEIGHTS));
            for (int operation = 1; operation <= 8; operation++) {
                boolean isForward = operation % 2 == 1;
                database.operation(operation, isForward ? "forward" : "ttnn.relu");
                if (!isForward) {
                    kept.add(Place.l1(0x16b800 - 2048L * operation, 2048));
                }
                database.snapshot(operation, kept);
            }
        }

        LeakVerdict verdict = verdict(RuntimeOutputReader.create()
                .roundsAt(Pattern.compile("^forward$"))
                .read(file()));

        assertThat(Accumulation.of(verdict, Rounds.MARKED))
                .extracting(Accumulation::rounds, Accumulation::trend)
                .containsExactly(4, Trend.GROWING);
    }

    @Test
    void notesTheErrorOfAnOperation() throws Exception {
        try (WrittenDatabase database = database(Writer.IMPORTER)) {
            database.operation(1, "ttnn.matmul", WEIGHTS);
            database.error(1, "ttnn.matmul", "RuntimeError", "Out of Memory: Not enough space\nbacktrace:");
        }

        assertThat(RuntimeOutput.read(file()).notes())
                .contains(
                        "An exception left ttnn.matmul (operation 1): \"RuntimeError: Out of Memory: Not enough space\"."
                                + " The rejected request: its figures cannot be read.");
    }

    @Test
    void givesEachRankItsOwnHistory() throws Exception {
        try (WrittenDatabase database = database(Writer.IMPORTER_OF_RANKS)) {
            for (int rank = 0; rank < 2; rank++) {
                database.rank(rank).operation(1, "ttnn.ones");
                database.snapshot(1, WEIGHTS);
                database.operation(2, "ttnn.relu");
                database.snapshot(2, rank == 0 ? new Place[] {WEIGHTS} : new Place[] {WEIGHTS, OUTPUT});
            }
        }

        List<RuntimeOutput> outputs = RuntimeOutputReader.create().readRanks(file());

        assertThat(outputs)
                .extracting(RuntimeOutput::rank, output -> verdict(output).outcome())
                .containsExactly(
                        tuple(OptionalInt.of(0), Outcome.LEAK_FREE), tuple(OptionalInt.of(1), Outcome.INCONCLUSIVE));
        assertThatThrownBy(() -> RuntimeOutput.read(file()))
                .isInstanceOf(IOException.class)
                .hasMessage("it was recorded by 2 processes (ranks 0, 1), each with its own history."
                        + " RuntimeOutputReader.readRanks and meshguard analyze give all of them, and ofRank and --rank"
                        + " one");
    }

    @Test
    void readsTheRankThatIsChosen() throws Exception {
        try (WrittenDatabase database = database(Writer.IMPORTER_OF_RANKS)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.rank(1).operation(1, "ttnn.relu", WEIGHTS);
        }

        RuntimeOutput chosen = RuntimeOutputReader.create().ofRank(1).read(file());

        assertThat(chosen.rank()).hasValue(1);
        assertThatThrownBy(() -> RuntimeOutputReader.create().ofRank(2).read(file()))
                .isInstanceOf(IOException.class)
                .hasMessage("it has no rank 2. Leave the rank out to read all that it has");
        assertThatThrownBy(() -> RuntimeOutputReader.create().ofRank(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Rank -1: ranks are numbered from 0");
    }

    /** SQLite makes files beside a database with a log to read it, and a reader that may not write would leave them there. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isNotChangedAndHasNothingBesideItAfterReading(boolean hasLog) throws Exception {
        writeOneOperation();
        if (hasLog) {
            withWriteAheadLog().close();
        }
        byte[] before = Files.readAllBytes(file());

        assertThat(RuntimeOutput.read(file()).format()).isEqualTo(OutputFormat.REPORT_DATABASE);

        assertThat(Files.readAllBytes(file())).isEqualTo(before);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file());
        }
    }

    @Test
    void isReadWithTheLogOfItsWriter() throws Exception {
        writeOneOperation();

        try (Connection writer = withWriteAheadLog();
                Statement statement = writer.createStatement()) {
            statement.execute("INSERT INTO operations (operation_id, name) VALUES (2, 'ttnn.relu')");

            assertThat(RuntimeOutput.read(file()).records()).isEqualTo(2);
            assertThat(RuntimeOutput.read(Files.createSymbolicLink(folder.resolve("link"), file()))
                            .records())
                    .isEqualTo(2);
        }
    }

    private Connection withWriteAheadLog() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            return connection;
        }
    }

    @Test
    void withoutRanksIsOfRankZero() throws Exception {
        writeOneOperation();

        assertThat(RuntimeOutputReader.create().ofRank(0).read(file()).rank()).isEmpty();
        assertThatThrownBy(() -> RuntimeOutputReader.create().ofRank(1).read(file()))
                .hasMessageStartingWith("it has no rank 1. ");
    }

    @Test
    void isNotReadFromACompressedStream() throws Exception {
        writeOneOperation();
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(Files.readAllBytes(file()));
        }

        assertThatThrownBy(
                        () -> RuntimeOutput.read(new ByteArrayInputStream(compressed.toByteArray()), "standard input"))
                .isInstanceOf(IOException.class)
                .hasMessage("it is a database of SQLite in a stream. Give the path of a file that is not compressed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1, 0, 'somewhere', 2048, 1 | ttnn.ones (operation 1)",
                "1, -3, 4096, 2048, 1 | ttnn.ones (operation 1)",
                "1, 0, 18446744073709551616, 2048, 1 | ttnn.ones (operation 1)",
                "9223372036854775807, 0, 4096, 2048, 1 | operation 9223372036854775807"
            })
    void countsARowThatCannotBeReadAsLost(String row, String operation) throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.execute("INSERT INTO buffers VALUES (" + row + ")");
        }

        assertThat(losses()).containsExactly("the table buffers has a row for " + operation + " without valid numbers");
    }

    @Test
    void isRejectedIfARowHasNoRank() throws Exception {
        try (WrittenDatabase database = database(Writer.IMPORTER_OF_RANKS)) {
            database.operation(1, "ttnn.ones", WEIGHTS);
            database.execute("UPDATE buffers SET rank = 'first'");
        }

        assertThatThrownBy(() -> RuntimeOutput.read(file()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rows whose rank is no number");
    }

    @Test
    void doesNotRunAViewThatStandsForATable() throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.execute("DROP TABLE buffers");
            database.execute("CREATE VIEW buffers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                    + " SELECT i AS operation_id, 0 AS device_id, i AS address, 1 AS max_size_per_bank,"
                    + " 1 AS buffer_type FROM n");
        }

        assertThatThrownBy(() -> RuntimeOutput.read(file()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("without the tables operations and buffers of a report");
    }

    @Test
    void saysWhatADamagedFileIs() throws Exception {
        try (WrittenDatabase database = database(Writer.LIVE)) {
            database.operation(1, "ttnn.ones");
        }
        byte[] whole = Files.readAllBytes(file());
        Files.write(file(), Arrays.copyOf(whole, 1000));

        assertThatThrownBy(() -> RuntimeOutput.read(file()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("SQLite cannot read it: ");
    }
}
