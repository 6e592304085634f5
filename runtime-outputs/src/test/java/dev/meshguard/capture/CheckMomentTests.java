package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.meshguard.capture.WrittenDatabase.Place;
import dev.meshguard.capture.WrittenDatabase.Writer;
import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.event.HistoryEvent.Checked;
import dev.meshguard.event.HistoryEvent.SourceNoted;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Trend;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The user chooses the moment of the check, also after a file was read. */
class CheckMomentTests {

    private static final Memory RESULT = Memory.l1(1_488_896, 65_536);
    private static final Memory WEIGHTS = Memory.dram(1_048_576, 4096);

    private final WrittenGraph graph = new WrittenGraph(Age.NEWEST);

    private static Outcome outcome(AllocationHistory history) {
        return LeakCheck.create().examine(history).outcome();
    }

    /** Returns the events that are neither notes nor the check after them. */
    private static String reports(AllocationHistory history) {
        return history.events().stream()
                .filter(event -> !(event instanceof SourceNoted || event instanceof Checked))
                .toList()
                .toString();
    }

    private static RuntimeOutput readJudgedAfter(int operation, String json) throws IOException {
        return RuntimeOutputReader.create()
                .judgedAfter(operation)
                .read(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), "graph.json");
    }

    @Test
    void atTheEndWhatRemainsHasLeaked() {
        graph.allocate(WEIGHTS);
        RuntimeOutput output = graph.close().read();

        AllocationHistory atEnd = output.historyAtEnd();

        assertThat(outcome(output.history())).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(outcome(atEnd)).isEqualTo(Outcome.LEAKED);
        assertThat(atEnd.events(SourceNoted.class))
                .noneMatch(noted -> noted.note().contains("was not closed"));
    }

    @Test
    void afterAnOperationIsTheSameAsIfTheRestWereNotRead() throws IOException {
        graph.begin("ttnn::relu");
        int buffer = graph.allocate(RESULT);
        int inner = graph.begin("ttnn::add");
        graph.end();
        graph.end();
        graph.free(buffer, RESULT);
        int last = graph.begin("ttnn::add");
        graph.end();
        String json = graph.close().json();
        RuntimeOutput output = WrittenGraph.read(json);

        for (int operation : new int[] {1, inner, last}) {
            assertThat(reports(output.historyAfter(operation)))
                    .isEqualTo(reports(readJudgedAfter(operation, json).history()));
        }
        assertThat(outcome(output.historyAfter(inner))).isEqualTo(Outcome.LEAKED);
        assertThat(outcome(output.historyAfter(last))).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void afterAnOperationThatIsMissingIsAnError() {
        graph.begin("ttnn::relu");
        graph.end();
        RuntimeOutput output = graph.close().read();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> output.historyAfter(2))
                .withMessage("The capture has no operation 2 that ended. The last that ended is operation 1.");
    }

    @Test
    void aContradictionCountsOnlyForTheOperationsAfterIt() {
        int first = graph.begin("ttnn::relu");
        graph.end();
        int second = graph.begin("ttnn::add");
        int buffer = graph.allocate(RESULT);
        graph.end();
        graph.free(buffer, RESULT);
        RuntimeOutput output =
                WrittenGraph.read(graph.close().report(Map.of("per_operation_buffers", "{\"" + second + "\": []}")));

        assertThat(outcome(output.historyAfter(first))).isEqualTo(Outcome.LEAK_FREE);
        assertThat(outcome(output.historyAfter(second))).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(outcome(output.historyAtEnd())).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void roundsGoFromEachRunOfAnOperationToTheNext() throws IOException {
        for (int round = 0; round < 4; round++) {
            graph.begin("forward");
            graph.allocate(Memory.l1(4096L * (round + 1), 64));
            graph.begin("forward");
            graph.end().end();
        }
        String json = graph.close().json();

        Accumulation rounds = Accumulation.of(WrittenGraph.read(json).historyInRounds("forward"));

        assertThat(rounds.rounds()).isEqualTo(4);
        assertThat(rounds.trend()).isEqualTo(Trend.GROWING);
        assertThat(WrittenGraph.read(json).historyInRounds("forward").events().toString())
                .isEqualTo(RuntimeOutputReader.create()
                        .judgedAtEnd()
                        .roundsAt(Pattern.compile("^forward$"))
                        .read(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), "graph.json")
                        .history()
                        .events()
                        .toString());
    }

    @Test
    void roundsOfAnUnknownOperationAreAnErrorWithTheNames() {
        for (int i = 0; i < 7; i++) {
            graph.begin("ttnn::op" + i);
            graph.end();
        }
        RuntimeOutput output = graph.close().read();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> output.historyInRounds("forward"))
                .withMessage("No outermost operation of the capture has the name. The names are: ttnn::op0, ttnn::op1,"
                        + " ttnn::op2, ttnn::op3, ttnn::op4 and 2 more.");
    }

    @Test
    void roundsAreNotMarkedTwice() throws IOException {
        graph.begin("forward");
        graph.end();
        RuntimeOutput output = RuntimeOutputReader.create()
                .roundsAt(Pattern.compile("forward"))
                .read(new ByteArrayInputStream(graph.close().json().getBytes(StandardCharsets.UTF_8)), "graph.json");

        assertThatIllegalStateException()
                .isThrownBy(() -> output.historyInRounds("forward"))
                .withMessage("The capture was read with rounds, and its history has them. Read it without roundsAt.");
    }

    @Test
    void ofADatabaseAreTheEndsOfItsOperations(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("db.sqlite");
        Place weights = Place.dram(4096, 2048);
        Place output = Place.l1(0x16b800, 2048);
        try (WrittenDatabase database = new WrittenDatabase(file, Writer.LIVE)) {
            database.operation(1, "ttnn.ones", weights);
            database.operation(2, "ttnn.matmul", weights, output);
            database.operation(3, "ttnn.deallocate", weights);
        }
        RuntimeOutput read = RuntimeOutput.read(file);

        assertThat(outcome(read.historyAfter(2))).isEqualTo(Outcome.LEAKED);
        assertThat(outcome(read.historyAfter(3))).isEqualTo(Outcome.LEAK_FREE);
    }
}
