package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.tuple;

import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.HistoryEvent.ReportsLost;
import dev.meshguard.event.Phase;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Trend;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Graph captures as histories, and the verdicts on them. */
class GraphCaptureTests {

    private static final Memory WEIGHTS = Memory.dram(1_048_576, 65_536);
    private static final Memory RESULT = Memory.l1(1_488_896, 65_536);

    @ParameterizedTest
    @EnumSource(Age.class)
    void aCaptureThatFreesAllIsLeakFree(Age age) {
        WrittenGraph graph = new WrittenGraph(age);
        graph.begin("ttnn::relu");
        int buffer = graph.allocate(RESULT);
        graph.end();
        graph.free(buffer, RESULT);

        LeakVerdict verdict = verdict(graph.close().read());

        assertThat(verdict.outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict.sum().freed()).isOne();
    }

    @ParameterizedTest
    @EnumSource(Age.class)
    void aBufferThatRemainsIsUndecidedAsTheDeviceIsOpen(Age age) {
        WrittenGraph graph = new WrittenGraph(age);
        graph.allocate(WEIGHTS);

        LeakVerdict verdict = verdict(graph.close().read());

        assertThat(verdict.outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict.sum().undecided()).isOne();
        assertThat(verdict.inconclusiveReasonTexts())
                .singleElement()
                .asString()
                .contains("the capture ended before the device was closed");
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
        byte[] json = graph.close().json().getBytes(StandardCharsets.UTF_8);

        Accumulation rounds = Accumulation.of(RuntimeOutputReader.create()
                .roundsAt(Pattern.compile("^forward$"))
                .read(new ByteArrayInputStream(json), "graph.json")
                .history());

        assertThat(rounds.rounds()).isEqualTo(4);
        assertThat(rounds.trend()).isEqualTo(Trend.GROWING);
    }

    @Test
    void aReportHasTheSameHistoryAsItsGraph() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::relu");
        graph.allocate(RESULT);
        graph.end().close();

        RuntimeOutput report = WrittenGraph.read(graph.report());

        assertThat(report.history().events(Allocated.class).toString())
                .isEqualTo(graph.read().history().events(Allocated.class).toString());
        assertThat(report.notes())
                .contains("Skipped: 1 × section buffer_pages, 2 × snapshot of no outermost operation that ended.");
    }

    @ParameterizedTest
    @CsvSource({"exact_buffer_type, L1_SMALL", "buffer_type_value, 3", "buffer_type, 3", "buffer_type, L1_SMALL"})
    void theExactMemoryHasTheKeyOfItsVersion(String key, String value) {
        WrittenGraph graph = new WrittenGraph(Age.MIDDLE);
        graph.allocate(RESULT);

        RuntimeOutput capture = WrittenGraph.read(
                graph.close().json().replace("\"type\":\"L1\"", "\"type\":\"L1\",\"" + key + "\":\"" + value + "\""));

        assertThat(capture.remaining()).extracting(RemainingBuffer::type).containsExactly(BufferType.L1_SMALL);
        assertThat(capture.notes()).noneMatch(note -> note.contains("L1 and DRAM only"));
    }

    /** The names of the newest types are not known, so any names stand for them. */
    @Test
    void nodesOfTheNewestTypesAreSkippedAndCountedByType() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.other(
                "sub_device_manager",
                Map.of(
                        "device_id", 1,
                        "sub_device_manager_id", 0,
                        "sub_devices", "[{\"sub_device_id\":0,\"worker_core_ranges\":[]}]"));
        for (int chip = 0; chip < 2; chip++) {
            graph.other(
                    "program_execution",
                    Map.of(
                            "device_id", 1,
                            "physical_device_id", chip,
                            "runtime_id", 7,
                            "global_call_count", (7 << 10) | chip,
                            "command_queue_id", 0));
        }
        graph.begin("ttnn::relu");
        int buffer = graph.allocate(RESULT);
        graph.free(buffer, RESULT);
        graph.end();

        RuntimeOutput capture = graph.close().read();

        assertThat(verdict(capture).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(capture.notes())
                .contains("Skipped: 2 × node of type program_execution, 1 × node of type sub_device_manager.");
    }

    @Test
    void aFreeIsJoinedByTheBuffersNodeAndNotByItsAddress() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        Memory nowhere = Memory.l1(0, 4096);
        int first = graph.allocate(nowhere);
        int second = graph.allocate(nowhere);
        graph.free(first, nowhere);

        RuntimeOutput capture = graph.close().read();

        assertThat(capture.remaining()).extracting(RemainingBuffer::node).containsExactly(OptionalInt.of(second));
        assertThat(capture.remaining().get(0).address()).isEmpty();
        assertThat(verdict(capture).sum().allocated()).isEqualTo(2);
        assertThat(capture.notes())
                .contains(
                        "2 allocations have no address, as nothing was dispatched (NO_DISPATCH). The number of the buffer's"
                                + " node stands for it.");
    }

    @Test
    void aFreeWithoutAnEdgeIsJoinedByItsAddress() {
        WrittenGraph graph = new WrittenGraph(Age.MIDDLE);
        int buffer = graph.allocate(RESULT);
        graph.free(buffer, RESULT);
        String free = graph.close().nodes().get(3);
        String withoutEdge = graph.json().replace(free, free.replace("\"connections\":[1]", "\"connections\":[]"));

        assertThat(withoutEdge).isNotEqualTo(graph.json());
        assertThat(verdict(WrittenGraph.read(withoutEdge)).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aBufferFromBeforeTheCaptureIsNeverBlamed() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        int freed = graph.buffer(WEIGHTS);
        graph.buffer(RESULT);
        graph.free(freed, WEIGHTS);

        RuntimeOutput capture = graph.close().read();

        assertThat(verdict(capture).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict(capture).sum().allocated()).isZero();
        assertThat(capture.notes())
                .containsExactly("Buffers from before the capture are not judged: 2 in use, of which 1 freed.");
    }

    @Test
    void aRemainingBufferNamesItsOperationAndTensors() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::linear");
        graph.begin("MatmulDeviceOperation");
        int buffer = graph.allocate(RESULT);
        graph.end();
        graph.end();
        int tensor = graph.tensor(7, "Shape([1, 1, 32, 1024])", buffer);
        graph.begin("ttnn::relu", tensor);
        graph.end();

        RuntimeOutput capture = graph.close().read();

        assertThat(capture.remaining())
                .containsExactly(new RemainingBuffer(
                        OptionalInt.of(buffer),
                        1,
                        BufferType.L1,
                        OptionalLong.of(RESULT.address()),
                        RESULT.size(),
                        Optional.of("ttnn::linear"),
                        Optional.empty(),
                        List.of(new RemainingBuffer.Tensor(
                                OptionalInt.of(tensor),
                                OptionalLong.of(7),
                                Optional.of("Shape([1, 1, 32, 1024])"),
                                List.of("ttnn::relu")))));
    }

    @Test
    void operationsAreOwnersAndPhases() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::relu");
        int buffer = graph.allocate(RESULT);
        graph.end();
        graph.free(buffer, RESULT);

        RuntimeOutput capture = graph.close().read();

        assertThat(capture.history()
                        .events(Allocated.class)
                        .get(0)
                        .request()
                        .details()
                        .owner())
                .hasToString("Optional[ttnn::relu]");
        assertThat(capture.history().phases())
                .extracting(began -> began.phase())
                .containsExactly(new Phase("ttnn::relu"), new Phase("between operations"));
    }

    @Test
    void onlyTheNewestCapturesDistinguishL1AndL1Small() {
        Memory small = new Memory("L1", 3, 1, 1_490_944, 2048);
        WrittenGraph newest = new WrittenGraph(Age.NEWEST);
        newest.allocate(small);
        WrittenGraph older = new WrittenGraph(Age.MIDDLE);
        older.allocate(small);

        assertThat(newest.close().read().remaining().get(0).type()).isEqualTo(BufferType.L1_SMALL);
        assertThat(older.close().read().remaining().get(0).type()).isEqualTo(BufferType.L1);
        assertThat(older.read().notes())
                .contains("The capture names L1 and DRAM only: L1_SMALL counts as L1, and the trace region as DRAM.");
    }

    @ParameterizedTest
    @EnumSource(Age.class)
    void circularBuffersAreNotJudged(Age age) {
        WrittenGraph graph = new WrittenGraph(age);
        graph.endCircularBuffers();
        graph.circularBuffer(0, 4096, false);
        graph.circularBuffer(0, 65_536, true);
        graph.other("dataflow_buffer_allocate", Map.of("size", 4096));
        graph.other("scratchpad_allocate", Map.of("size", 4096));

        RuntimeOutput capture = graph.close().read();

        assertThat(capture.notes()).isEmpty();
        assertThat(verdict(capture).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void anOperationThatAnExceptionLeftIsNamedWithItsReason() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::matmul");
        graph.end("TT_FATAL @ matmul.cpp:12: a\nbacktrace:");

        assertThat(graph.close().json()).contains("abort_reason");
        assertThat(WrittenGraph.read(graph.json().replace("a\nbacktrace", "a\\nbacktrace"))
                        .notes())
                .containsExactly("An exception left ttnn::matmul (node 2): \"TT_FATAL @ matmul.cpp:12: a\".");
    }

    /** Memory without a tensor is the runtime's if the operation runs a program; in DRAM also if it takes a tensor. */
    @ParameterizedTest
    @CsvSource({"L1, 0, true", "DRAM, 0, true", "DRAM, 1, false"})
    void aBufferWithoutATensorInAnOperationIsOwnedByTheRuntime(String type, int inputs, boolean runsProgram)
            throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn.matmul", new int[inputs]);
        if (runsProgram) {
            graph.circularBuffer(0, 4096, false);
        }
        graph.allocate(new Memory(type, type.equals("L1") ? 1 : 0, 1, 1_073_730_000, 10_240));
        graph.end();
        String json = graph.close().json();

        LeakVerdict verdict = verdict(RuntimeOutputReader.create()
                .judgedAtEnd()
                .read(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), "graph.json"));

        assertThat(verdict.outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(VerdictReport.of(verdict).text())
                .contains("1 buffer was allocated without a tensor inside an operation, owned by the runtime")
                .doesNotContain("fix ", "may have leaked");
        assertThat(verdict(WrittenGraph.read(json)).outcome()).isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void aBufferIsNotTheRuntimesIfATensorLiesAtItsAddress() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn.matmul");
        graph.circularBuffer(0, 4096, false);
        graph.allocate(RESULT);
        graph.end();
        graph.tensor(7, "Shape([1])");
        String json = graph.close()
                .json()
                .replace("\"tensor_id\"", "\"address\":1488896,\"buffer_type\":1,\"device_id\":1,\"tensor_id\"");

        assertThat(losses(json))
                .containsExactly(tuple(1L, "the buffer of node 3 has no edge to node 6, a tensor at its address"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBufferWithoutATensorIsOfNobodyIfItsOperationDidNotReturn(boolean isAborted) {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn.matmul", 0);
        graph.allocate(WEIGHTS);
        if (isAborted) {
            graph.end("TT_FATAL");
        }

        assertThat(losses(graph.close().json()))
                .containsExactly(
                        tuple(
                                -1L,
                                "ttnn.matmul (node 1) did not return, so it is not known whose its 1 buffer without a tensor are"));
    }

    @Test
    void aBufferHasTheTensorsOfItsLastAllocation() {
        WrittenGraph graph = new WrittenGraph(Age.OLDEST);
        int buffer = graph.allocate(WEIGHTS);
        graph.tensor(7, "Shape([1, 32])", buffer);
        graph.free(buffer, WEIGHTS);
        graph.allocate(buffer, RESULT);
        graph.tensor(8, "Shape([1, 64])", buffer);

        assertThat(graph.close().read().remaining().get(0).tensors())
                .extracting(RemainingBuffer.Tensor::id)
                .containsExactly(OptionalLong.of(8));
    }

    @Test
    void aTensorIsNamedOnceWithAllItsUsers() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        int buffer = graph.allocate(RESULT);
        int tensor = graph.tensor(7, "Shape([1, 64])", buffer, buffer);
        graph.begin("ttnn::relu", tensor);
        graph.end();
        int mentionedAgain = graph.tensor(7, "Shape([1, 64])", buffer);
        graph.begin("ttnn::add", mentionedAgain);
        graph.end();

        assertThat(graph.close().read().remaining().get(0).tensors())
                .containsExactly(new RemainingBuffer.Tensor(
                        OptionalInt.of(tensor),
                        OptionalLong.of(7),
                        Optional.of("Shape([1, 64])"),
                        List.of("ttnn::relu", "ttnn::add")));
    }

    @Test
    void eachDocumentOfAFileIsACaptureAndIsJudged() throws IOException {
        WrittenGraph clean = new WrittenGraph(Age.NEWEST);
        WrittenGraph leaking = new WrittenGraph(Age.NEWEST);
        leaking.allocate(RESULT);
        byte[] both = (clean.close().json() + leaking.close().report()).getBytes(StandardCharsets.UTF_8);

        List<RuntimeOutput> captures =
                RuntimeOutputReader.create().judgedAtEnd().readRanks(new ByteArrayInputStream(both), "graph.json");

        assertThat(captures)
                .extracting(RuntimeOutput::name, capture -> verdict(capture).outcome())
                .containsExactly(
                        tuple("graph.json (capture 1 of 2)", Outcome.LEAK_FREE),
                        tuple("graph.json (capture 2 of 2)", Outcome.LEAKED));
        assertThatIOException()
                .isThrownBy(() -> RuntimeOutput.read(new ByteArrayInputStream(both), "graph.json"))
                .withMessageContaining("has 2 captures");
    }

    @Test
    void aNodeOfAnUnknownTypeThatMayReportABufferIsALostReport() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.other("buffer_reserve", Map.of("address", 4096));
        graph.other("", Map.of());

        assertThat(losses(graph.close().json()))
                .containsExactly(
                        tuple(1L, "node 1 may report a buffer, and its type \"buffer_reserve\" is not known"),
                        tuple(1L, "node 2 has no type"));
    }

    @Test
    void aMissingNodeIsALostReport() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        int buffer = graph.allocate(RESULT);
        graph.free(buffer, RESULT);
        String json = graph.close().json().replace(graph.nodes().get(3) + ",\n", "");

        assertThat(losses(json)).containsExactly(tuple(1L, "node 3 is missing"));
        assertThat(verdict(WrittenGraph.read(json)).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void anAddressThatIsAllocatedTwiceProvesThatAFreeIsMissing() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.allocate(RESULT);
        int second = graph.allocate(RESULT);

        RuntimeOutput capture = graph.close().read();

        assertThat(losses(graph.json()))
                .containsExactly(
                        tuple(
                                1L,
                                "node 4 allocates an address at which the buffer of node 1 is allocated, whose free is missing"));
        assertThat(capture.remaining()).extracting(RemainingBuffer::node).containsExactly(OptionalInt.of(second));
    }

    @Test
    void aSecondFreeOfABufferFreesNoOther() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        int first = graph.allocate(RESULT);
        graph.free(first, RESULT);
        int second = graph.allocate(RESULT);
        graph.free(first, RESULT);

        RuntimeOutput capture = graph.close().read();

        assertThat(losses(graph.json()))
                .containsExactly(tuple(1L, "node 6 frees the buffer of node 1, which was freed before"));
        assertThat(capture.remaining()).extracting(RemainingBuffer::node).containsExactly(OptionalInt.of(second));
    }

    @Test
    void aCaptureWithoutAnEndIsNotWhole() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::relu");

        assertThat(losses(graph.json()))
                .containsExactly(tuple(-1L, "the capture has no capture_end, so what follows node 1 is not in it"));
        assertThat(graph.read().notes())
                .containsExactly("1 operation has no end; the innermost is ttnn::relu (node 1).");
    }

    private static List<Tuple> losses(String json) {
        return WrittenGraph.read(json).history().events(ReportsLost.class).stream()
                .map(lost -> tuple(lost.count(), lost.reason()))
                .toList();
    }

    private static LeakVerdict verdict(RuntimeOutput capture) {
        return LeakCheck.create().examine(capture.history());
    }
}
