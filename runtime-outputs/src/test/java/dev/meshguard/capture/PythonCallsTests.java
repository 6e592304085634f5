package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import dev.meshguard.event.HistoryEvent.Allocated;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Python calls beside a graph capture name the lines that allocated its buffers, or no line at all. */
class PythonCallsTests {

    private static final String NO_STACK = "{\"name\": \"ttnn.relu\", \"arguments\": {}}";

    @TempDir
    private Path folder;

    private final WrittenGraph graph = new WrittenGraph(Age.NEWEST);
    private long address = 1_048_576;
    private boolean isClosed;

    /** Adds an operation, and in it those of the given names; the innermost one allocates a buffer. */
    private void operation(String... names) {
        for (String name : names) {
            graph.begin(name);
        }
        address += 65_536;
        graph.allocate(Memory.dram(address, 65_536));
        for (int i = 0; i < names.length; i++) {
            graph.end();
        }
    }

    private static String call(String name, int line) {
        return """
                {"name": "%s", "arguments": {"0": "ttnn.Tensor(shape=[32, 32])"}, "input_tensor_ids": [1], "output_tensor_ids": [],
                 "captured_graph": [{"counter": 0, "name": "ttnn.other"}],
                 "python_stack_trace": ["  File \\"model.py\\", line %d, in forward\\n    x = op(x)\\n",
                   "  File \\"demo.py\\", line 9, in main\\n    forward()\\n"]}""".formatted(name, line);
    }

    private static String calls(String... calls) {
        return "[" + String.join(",\n", calls) + "]";
    }

    /** Reads the graph, whose end is added if it has none. */
    private RuntimeOutput readWith(String calls) throws IOException {
        if (!isClosed) {
            graph.close();
            isClosed = true;
        }
        Files.writeString(folder.resolve("graph.python_io.json"), calls);
        return RuntimeOutput.read(Files.writeString(folder.resolve("graph.json"), graph.json()));
    }

    /** Returns the lines of the allocations, {@code -} for one without. */
    private static List<String> lines(RuntimeOutput output) {
        return output.history().events(Allocated.class).stream()
                .map(event -> event.request()
                        .origin()
                        .map(origin -> origin.frames().toString())
                        .orElse("-"))
                .toList();
    }

    private static String frames(int line) {
        return "[model.forward(model.py:" + line + "), demo.main(demo.py:9)]";
    }

    @Test
    void nameTheLineOfEachOperationInTheirOrder() throws IOException {
        operation("ttnn.relu");
        operation("ttnn.add");
        operation("ttnn.relu");

        RuntimeOutput output = readWith(calls(call("ttnn.relu", 5), call("ttnn.add", 6), call("ttnn.relu", 7)));

        assertThat(lines(output)).containsExactly(frames(5), frames(6), frames(7));
        assertThat(output.notes()).noneMatch(note -> note.contains("python_io"));
    }

    @Test
    void nameTheInnermostCall() throws IOException {
        operation("ttnn.attention", "ttnn.add", "Device::allocate");
        operation("ttnn.add");

        RuntimeOutput output = readWith(calls(call("ttnn.attention", 5), call("ttnn.add", 20), call("ttnn.add", 6)));

        assertThat(lines(output)).containsExactly(frames(20), frames(6));
    }

    @Test
    void matchTheOutermostOperationsUnderTheirNamesInCpp() throws IOException {
        operation("ttnn::softmax", "ttnn::relu");
        operation("ttnn::relu");

        RuntimeOutput output = readWith(calls(call("ttnn.softmax", 5), call("ttnn.relu", 6)));

        assertThat(lines(output)).containsExactly(frames(5), frames(6));
    }

    @Test
    void nameNoLineIfTheNumberOfOperationsIsAnother() throws IOException {
        operation("ttnn.relu");
        operation("ttnn.relu");
        operation("ttnn.add");

        RuntimeOutput output = readWith(calls(call("ttnn.relu", 5), call("ttnn.add", 6)));

        assertThat(lines(output)).containsExactly("-", "-", frames(6));
        assertThat(output.notes())
                .contains("graph.python_io.json names no line for operations of which it has another number than the"
                        + " capture: \"ttnn.relu\" (1 call, 2 operations).");
    }

    @Test
    void nameNoLineWithoutAStack() throws IOException {
        operation("ttnn.relu");

        assertThat(lines(readWith(calls(NO_STACK)))).containsExactly("-");
    }

    @Test
    void areReadBesideACompressedCapture() throws IOException {
        operation("ttnn.relu");
        Files.write(folder.resolve("graph.python_io.json.gz"), gzip(calls(call("ttnn.relu", 5))));
        Path file =
                Files.write(folder.resolve("graph.json.gz"), gzip(graph.close().json()));

        assertThat(lines(RuntimeOutput.read(file))).containsExactly(frames(5));
    }

    @Test
    void spoilNothingIfTheyAreDamaged() throws IOException {
        operation("ttnn.relu");
        String whole = calls(call("ttnn.relu", 5));

        for (int length = 0; length < whole.length() - 1; length++) {
            RuntimeOutput output = readWith(whole.substring(0, length));

            assertThat(lines(output)).containsExactly("-");
            assertThat(output.notes()).anyMatch(note -> note.startsWith("graph.python_io.json cannot be read ("));
            assertThat(output.remaining()).hasSize(1);
        }
    }

    @Test
    void areNotLookedForBesideAStream() throws IOException {
        operation("ttnn.relu");
        String json = graph.close().json();

        assertThat(lines(RuntimeOutput.read(
                        new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), "graph.json")))
                .containsExactly("-");
    }

    @Test
    void areReadFromAReport() {
        operation("ttnn::relu");
        operation("ttnn::add");
        String report = graph.close().report(Map.of("python_io", calls(call("ttnn.relu", 5), call("ttnn.add", 6))));

        RuntimeOutput output = WrittenGraph.read(report);

        assertThat(lines(output)).containsExactly(frames(5), frames(6));
        assertThat(output.remaining())
                .extracting(buffer -> buffer.origin().orElseThrow().frames().toString())
                .containsExactly(frames(5), frames(6));
    }

    @Test
    void besideAReportAreUsedBeforeThoseInItUnlessTheyAreDamaged() throws IOException {
        operation("ttnn::relu");
        Path file = Files.writeString(
                folder.resolve("graph.json"), graph.close().report(Map.of("python_io", calls(call("ttnn.relu", 5)))));
        Path beside = folder.resolve("graph.python_io.json");
        Files.writeString(beside, calls(call("ttnn.relu", 7)));

        assertThat(lines(RuntimeOutput.read(file))).containsExactly(frames(7));
        Files.writeString(beside, "[{");
        assertThat(lines(RuntimeOutput.read(file))).containsExactly(frames(5));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
