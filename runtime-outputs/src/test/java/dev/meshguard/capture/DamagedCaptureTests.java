package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Damaged, truncated and foreign files are errors or inconclusive, never clean; {@code -Dmeshguard.inputs=…} sets the
 * number of random ones, {@code -Dmeshguard.seed=…} reruns a seed.
 */
class DamagedCaptureTests {

    private static final long SEED = Long.getLong("meshguard.seed", 20_261_124);
    private static final int INPUTS = Integer.getInteger("meshguard.inputs", 10_000);

    private static final List<String> NODE_TYPES = List.of(
            "buffer",
            "buffer_allocate",
            "buffer_deallocate",
            "capture_end",
            "circular_buffer_allocate",
            "circular_buffer_deallocate_all",
            "error",
            "function_end",
            "function_start",
            "tensor",
            "trace");
    private static final List<String> PARAMS = List.of(
            "aborted",
            "address",
            "buffer_type",
            "device_id",
            "error_message",
            "globally_allocated",
            "name",
            "shape",
            "size",
            "tensor_id",
            "type");
    private static final List<String> VALUES = List.of(
            "-1",
            "1e300",
            "9223372036854775807",
            "18446744073709551615",
            "null",
            "true",
            "[[{}]]",
            "{\"a\":[1]}",
            "\"\"",
            "\"L1\"",
            "\"DRAM\"",
            "\"ttnn::add\"",
            "\"\\u0000\\ud800\"",
            "\" 4096 \"",
            "\"99999999999999999999\"");

    private final Random random = new Random(SEED);

    @Test
    void aCaptureThatIsCutIsInconclusiveWhereverItIsCut() throws IOException {
        byte[] whole = bytes(leakFree().json().strip());
        int firstNodes = leakFree().json().indexOf("\"node_type\"") + 20;

        for (int length = firstNodes; length < whole.length; length += 7) {
            LeakVerdict verdict = verdict(Arrays.copyOf(whole, length));

            assertThat(verdict.outcome()).as("cut at %d", length).isEqualTo(Outcome.INCONCLUSIVE);
        }
    }

    @Test
    void compressedCapturesAreReadAndCutOnesAreInconclusive() throws IOException {
        byte[] whole = WrittenGraph.gzip(leakFree().json());
        byte[] cut = Arrays.copyOf(whole, whole.length - 9);

        assertThat(formatOf(whole)).contains(OutputFormat.GRAPH_CAPTURE);
        assertThat(verdict(whole).outcome()).isEqualTo(Outcome.LEAK_FREE);
        assertThat(verdict(cut).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        assertThat(verdict(cut).inconclusiveReasonTexts().toString())
                .contains("the compressed data breaks off or is spoilt");
    }

    /** The sizes reach over the end of the block that is read at a time. */
    @Test
    void whatFollowsCompressedDataIsInconclusiveUnlessItIsCompressedToo() throws IOException {
        byte[] noise = new byte[8_192];
        random.nextBytes(noise);
        String spaces = new String(noise, StandardCharsets.ISO_8859_1).replaceAll("[^\\t\\n ]", " ");

        for (int length = 0; length < 8_192; length += 64) {
            byte[] whole = WrittenGraph.gzip(leakFree().json() + spaces.substring(0, length));
            byte[] withRest = Arrays.copyOf(whole, whole.length + 1 + random.nextInt(12));

            assertThat(verdict(withRest).outcome()).isEqualTo(Outcome.INCONCLUSIVE);
        }
        byte[] two = (new String(WrittenGraph.gzip(leakFree().json()), StandardCharsets.ISO_8859_1)
                        + new String(WrittenGraph.gzip("\n"), StandardCharsets.ISO_8859_1))
                .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(verdict(two).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``|it is empty",
                "not json|it is no JSON, and a graph capture is",
                "7|it is JSON without a graph",
                "{\"version\": 1, \"devices\": []}|it is JSON without a graph",
                "{\"version\": 1, \"devices\": [|it breaks off or is damaged before its graph",
                "[{\"name\": \"ttnn.relu\", \"arguments\": {}}]|give the capture"
            })
    void aForeignFileIsAnErrorThatSaysWhatIsWrong(String text, String message) {
        assertThatThrownBy(() -> read(bytes(text)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"arguments\":[],\"connections\":[1],\"counter\":0",
                "  [ {\"counter\": 0",
                "\uFEFF[{\"node_type\":\"capture_start\"",
                "{\n  \"buffer_pages\": [",
                "{\"version\": 1"
            })
    void aCaptureIsKnownByItsFirstBytes(String beginning) throws IOException {
        assertThat(formatOf(bytes(beginning))).contains(OutputFormat.GRAPH_CAPTURE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=1)",
                "[]",
                "{\"kind\":\"history\",\"version\":1}",
                "{\"log\":\"[PID 7] Allocated\"}",
                "[{\"arguments\":{\"a\":\"1\"},\"name\":\"ttnn.relu\"}]"
            })
    void otherFilesAreNoCaptures(String beginning) throws IOException {
        assertThat(formatOf(bytes(beginning))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "7, it is JSON",
        "{}, it is JSON",
        "[{}], it is JSON",
        "[1, cannot be read after",
        "{\"a, breaks off",
        "x, breaks off"
    })
    void whatFollowsACaptureIsInconclusiveIfItIsNone(String rest, String reason) throws IOException {
        List<RuntimeOutput> captures = RuntimeOutputReader.create()
                .readRanks(new ByteArrayInputStream(bytes(leakFree().json() + rest)), "graph.json");

        assertThat(captures)
                .anySatisfy(capture -> assertThat(LeakCheck.create()
                                .examine(capture.history())
                                .inconclusiveReasonTexts()
                                .toString())
                        .contains(reason));
    }

    @Test
    void deepNestingIsInconclusive() throws IOException {
        String json = "[{\"counter\":0,\"node_type\":\"capture_start\",\"params\":" + "[".repeat(100_000);

        assertThat(verdict(bytes(json)).inconclusiveReasonTexts().toString())
                .contains("a value is larger or nested more deeply than the reader allows");
    }

    @Test
    void aBombIsReadInBoundedMemory() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(compressed)) {
            out.write(bytes("{\"buffer_pages\": [0"));
            byte[] zeros = bytes(",0".repeat(1 << 15));
            for (int i = 0; i < 1_000; i++) {
                out.write(zeros);
            }
            out.write(bytes("], \"graph\": " + leakFree().json() + "}"));
        }

        assertThat(verdict(compressed.toByteArray()).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void aHugeTextIsNotKept() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        Memory memory = Memory.l1(1_488_896, 65_536);
        graph.tensor(7, "Shape(" + "x".repeat(1 << 20), graph.allocate(memory));

        RemainingBuffer.Tensor tensor =
                graph.close().read().remaining().get(0).tensors().get(0);

        assertThat(tensor.shape().orElseThrow()).startsWith("Shape(xxx").hasSize(1_024);
    }

    @Test
    void aHugeNumberIsInconclusive() throws IOException {
        String json = "[{\"counter\":0,\"node_type\":\"buffer_allocate\",\"params\":{\"size\":" + "9".repeat(1 << 20)
                + ",\"type\":\"L1\"}},{\"counter\":1,\"node_type\":\"capture_end\"}]";

        assertThat(verdict(bytes(json)).inconclusiveReasonTexts().toString())
                .contains("a value is larger or nested more deeply than the reader allows");
    }

    @Test
    void aReportWithVeryManyKeysIsRead() throws IOException {
        StringBuilder pages = new StringBuilder("{\"buffer_pages_by_address\": {\"0\": []");
        for (int address = 1; address < 200_000; address++) {
            pages.append(",\"").append(address * 2048L).append("\": []");
        }

        String report = pages.append("}, \"graph\": ") + leakFree().json() + "}";

        assertThat(verdict(bytes(report)).outcome()).isEqualTo(Outcome.LEAK_FREE);
    }

    @Test
    void nodesWithRandomValuesGiveAVerdictOrAnError() throws IOException {
        for (int input = 0; input < INPUTS; input++) {
            String nodes = randomNodes();
            try {
                verdict(bytes(nodes));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + SEED + ", input " + input + ": " + nodes, e);
            }
        }
    }

    private String randomNodes() {
        StringBuilder nodes = new StringBuilder("[{\"node_type\":\"capture_start\",\"counter\":0}");
        for (int node = 1; node <= 1 + random.nextInt(8); node++) {
            nodes.append(",{\"counter\":")
                    .append(random.nextInt(8) > 0 ? String.valueOf(node) : value())
                    .append(",\"node_type\":\"")
                    .append(oneOf(NODE_TYPES))
                    .append("\",\"connections\":[")
                    .append(random.nextInt(node))
                    .append("],\"params\":{");
            for (int param = random.nextInt(6); param >= 0; param--) {
                nodes.append('"')
                        .append(oneOf(PARAMS))
                        .append("\":")
                        .append(value())
                        .append(',');
            }
            nodes.append("\"last\":0}}");
        }
        return nodes.append(']').toString();
    }

    private String value() {
        return random.nextBoolean() ? String.valueOf(random.nextInt(5)) : oneOf(VALUES);
    }

    private String oneOf(List<String> all) {
        return all.get(random.nextInt(all.size()));
    }

    @Test
    void randomDamageGivesAVerdictOrAnError() {
        byte[] whole = bytes(leakFree().report());
        for (int input = 0; input < INPUTS; input++) {
            byte[] damaged = damaged(whole);
            try {
                formatOf(damaged);
                verdict(damaged);
            } catch (IOException expected) {
                assertThat(expected.getMessage())
                        .as("seed %d, input %d", SEED, input)
                        .isNotBlank();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "seed " + SEED + ", input " + input + ": " + new String(damaged, StandardCharsets.UTF_8), e);
            }
        }
    }

    private byte[] damaged(byte[] whole) {
        byte[] damaged = whole.clone();
        List<String> pieces = List.of("null", "-1", "[]", "{}", "\"", "99999999999", "true", ",", "}", "0");
        for (int changes = random.nextInt(4); changes >= 0; changes--) {
            int at = random.nextInt(damaged.length);
            if (random.nextBoolean()) {
                damaged[at] = (byte) random.nextInt(256);
            } else {
                byte[] piece = bytes(pieces.get(random.nextInt(pieces.size())));
                System.arraycopy(piece, 0, damaged, at, Math.min(piece.length, damaged.length - at));
            }
        }
        return random.nextInt(8) == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length)) : damaged;
    }

    private static WrittenGraph leakFree() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        Memory memory = Memory.l1(1_488_896, 65_536);
        graph.begin("ttnn::relu");
        int buffer = graph.allocate(memory);
        graph.circularBuffer(0, 4096, false);
        graph.tensor(7, "Shape([32, 32])", buffer);
        graph.end();
        graph.free(buffer, memory);
        return graph.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static RuntimeOutput read(byte[] bytes) throws IOException {
        return RuntimeOutputReader.create().read(new ByteArrayInputStream(bytes), "graph.json");
    }

    private static LeakVerdict verdict(byte[] bytes) throws IOException {
        return LeakCheck.create().examine(read(bytes).history());
    }

    private static Optional<OutputFormat> formatOf(byte[] beginning) throws IOException {
        return OutputFormat.of(new ByteArrayInputStream(beginning));
    }
}
