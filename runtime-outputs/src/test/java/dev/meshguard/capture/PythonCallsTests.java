package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of Python calls beside a capture, with the line that allocated its only buffer. */
class PythonCallsTests {

    @TempDir
    private Path folder;

    private static WrittenGraph graph() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn.relu");
        graph.allocate(Memory.dram(1_048_576, 65_536));
        return graph.end().close();
    }

    private static String calls(int line) {
        return """
                [{"name": "ttnn.relu", "arguments": {"0": "ttnn.Tensor(shape=[32, 32])"}, "input_tensor_ids": [1],
                  "captured_graph": [{"counter": 0, "name": "ttnn.other"}],
                  "python_stack_trace": ["  File \\"model.py\\", line %d, in forward\\n    x = op(x)\\n"]}]""".formatted(line);
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    /** Returns the line of the allocation, {@code -} if it has none. */
    private static String line(RuntimeOutput output) {
        return output.remaining()
                .get(0)
                .origin()
                .map(origin -> origin.frames().toString())
                .orElse("-");
    }

    @Test
    void areReadBesideACompressedCapture() throws IOException {
        Files.write(folder.resolve("graph.python_io.json.gz"), WrittenGraph.gzip(calls(5)));
        Path file = Files.write(folder.resolve("graph.json.gz"), WrittenGraph.gzip(graph().json()));

        assertThat(line(RuntimeOutputReader.create().read(file))).isEqualTo("[model.forward(model.py:5)]");
    }

    @Test
    void spoilNothingIfTheyAreDamaged() throws IOException {
        Path file = write("graph.json", graph().json());

        for (int length = 0; length < calls(5).length() - 1; length++) {
            write("graph.python_io.json", calls(5).substring(0, length));
            RuntimeOutput output = RuntimeOutputReader.create().read(file);

            assertThat(line(output)).isEqualTo("-");
            assertThat(output.notes()).anyMatch(note -> note.startsWith("graph.python_io.json cannot be read ("));
        }
    }

    @Test
    void areNotLookedForBesideAStream() throws IOException {
        byte[] json = graph().json().getBytes(StandardCharsets.UTF_8);
        write("graph.python_io.json", calls(5));

        RuntimeOutput output = RuntimeOutputReader.create()
                .read(
                        new ByteArrayInputStream(json),
                        folder.resolve("graph.json").toString());

        assertThat(line(output)).isEqualTo("-");
    }

    @Test
    void besideAReportAreUsedBeforeThoseInItUnlessTheyAreDamaged() throws IOException {
        Path file = write("graph.json", graph().report(Map.of("python_io", calls(5))));

        write("graph.python_io.json", calls(7));
        assertThat(line(RuntimeOutputReader.create().read(file))).isEqualTo("[model.forward(model.py:7)]");

        write("graph.python_io.json", "[{");
        assertThat(line(RuntimeOutputReader.create().read(file))).isEqualTo("[model.forward(model.py:5)]");
    }
}
