package dev.meshguard.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.capture.WrittenDatabase.Place;
import dev.meshguard.capture.WrittenDatabase.Writer;
import dev.meshguard.capture.WrittenGraph.Age;
import dev.meshguard.capture.WrittenGraph.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** If the runtime rejected a request and an exception left the operation, the buffers at the addresses of the request are named. */
class RejectedRequestTests {

    private static final Memory BUFFER = Memory.l1(1_488_896, 65_536);

    @TempDir
    Path folder;

    @Test
    void aClashNamesTheBufferAtItsAddressWithItsOperationTensorAndLine() throws IOException {
        Path capture = Files.writeString(folder.resolve("graph.json"), clashing());
        Files.writeString(
                folder.resolve("graph.python_io.json"),
                "[{\"name\": \"ttnn.relu\", \"python_stack_trace\":"
                        + " [\"  File \\\"models/decoder.py\\\", line 57, in forward\\n\"]}]");

        RuntimeOutput output = RuntimeOutput.read(capture);

        assertThat(output.notes())
                .anySatisfy(
                        note -> assertThat(note)
                                .startsWith("An exception left ttnn::matmul (node ")
                                .endsWith(
                                        "The rejected request: occupied: circular buffers up to 0x186a00 (1600000), and an L1 buffer lies at"
                                                + " 0x16b800 (1488896). The capture has these buffers there in it: 64 KiB (65536 B) at 0x16b800"
                                                + " (1488896), label \"tensor 7 Shape([1, 1, 32, 32])\", at decoder.forward(models/decoder.py:57)."));
    }

    /** Only old captures have such nodes. */
    @Test
    void anErrorNodeNamesTheBufferAsAnAbortedOperationDoes() {
        WrittenGraph graph = new WrittenGraph(Age.OLDEST);
        graph.begin("ttnn::conv2d");
        graph.allocate(BUFFER);
        graph.other(
                "error",
                Map.of("error_type", "exception", "error_operation", "ttnn::conv2d", "error_message", clash()));
        graph.end();

        assertThat(graph.close().read().notes().get(0))
                .startsWith("An exception left ttnn::conv2d (node 4): ")
                .endsWith(
                        "The capture has these buffers there in it: 64 KiB (65536 B) at 0x16b800 (1488896), of ttnn::conv2d"
                                + " (node 2).");
    }

    @Test
    void aClashNamesABufferThatTheExceptionFreed() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::matmul");
        int buffer = graph.allocate(BUFFER);
        graph.free(buffer, BUFFER);
        graph.end(clash());

        assertThat(graph.close().read().notes().get(0))
                .endsWith(
                        "The capture has these buffers there in it: 64 KiB (65536 B) at 0x16b800 (1488896), of ttnn::matmul (node"
                                + " " + buffer + ").");
    }

    @Test
    void aTextAtWhoseAddressNothingLiesSaysSo() throws IOException {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::matmul");
        graph.allocate(Memory.l1(4_096, 2_048));
        graph.end(clash());

        assertThat(graph.close().read().notes().get(0)).endsWith("The capture allocated no buffer there.");
    }

    @Test
    void noBufferIsNamedIfNothingWasDispatched() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn::matmul");
        graph.allocate(Memory.l1(0, 65_536));
        graph.end(clash());

        assertThat(graph.close().read().notes().get(0)).endsWith("an L1 buffer lies at 0x16b800 (1488896).");
    }

    @Test
    void anErrorOfADatabaseNamesTheBufferAtItsAddress() throws Exception {
        Path file = folder.resolve("errors.sqlite");
        try (WrittenDatabase database = new WrittenDatabase(file, Writer.IMPORTER)) {
            database.operation(1, "ttnn.ones", Place.dram(4_096, 1_024));
            database.operation(2, "ttnn.relu", Place.dram(4_096, 1_024), Place.l1(1_488_896, 2_048));
            database.tensor(41, "Shape([1, 1, 32, 1024])", Place.l1(1_488_896, 2_048));
            database.output(2, 41);
            database.operation(3, "ttnn.matmul", Place.dram(4_096, 1_024), Place.l1(1_488_896, 2_048));
            database.error(3, "ttnn.matmul", "RuntimeError", "TT_THROW @ program.cpp:1\ninfo:\n" + clash());
        }

        assertThat(RuntimeOutput.read(file).notes().get(0))
                .startsWith("An exception left ttnn.matmul (operation 3): \"RuntimeError: TT_THROW @ program.cpp:1\".")
                .endsWith(
                        "The recording has these buffers there in it: 2 KiB (2048 B) at 0x16b800 (1488896), label \"tensor 41"
                                + " Shape([1, 1, 32, 1024])\", of ttnn.relu (operation 2).");
    }

    private static String clash() {
        return "Statically allocated circular buffers in program 12 clash with L1 buffers on core range [0-0 - 7-7]. L1 buffer"
                + " allocated at 1488896 and static circular buffer region ends at 1600000";
    }

    private static String clashing() {
        WrittenGraph graph = new WrittenGraph(Age.NEWEST);
        graph.begin("ttnn.relu");
        int buffer = graph.allocate(BUFFER);
        graph.end();
        int tensor = graph.tensor(7, "Shape([1, 1, 32, 32])", buffer);
        graph.begin("ttnn::matmul", tensor);
        graph.end("TT_THROW @ program.cpp:1\ninfo:\n" + clash() + "\nbacktrace:\n");
        return graph.close().json();
    }
}
