package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code meshguard analyze} of graph captures, called like from a shell. */
class AnalyzeCaptureTests {

    static final String CAPTURE = """
            [
             {"connections":[1],"counter":0,"node_type":"capture_start","params":null},
             {"connections":[3,4,5,6,7,8,9],"counter":1,"node_type":"function_start","params":{"inputs":"1","name":"ttnn::relu"}},
             {"connections":[1],"counter":2,"node_type":"tensor","params":{"shape":"Shape([1, 1, 32, 1024])","tensor_id":7}},
             {"connections":[2],"counter":3,"node_type":"buffer","params":{"buffer_type":1,"device_id":1,"size":65536,"type":"L1"}},
             {"connections":[10],"counter":4,"node_type":"buffer","params":{"buffer_type":1,"device_id":1,"size":65536,"type":"L1"}},
             {"connections":[4],"counter":5,"node_type":"buffer_allocate","params":{"address":1488896,"buffer_type":1,"device_id":1,"max_size_per_bank":2048,"size":65536,"type":"L1"}},
             {"connections":[1],"counter":6,"node_type":"circular_buffer_deallocate_all","params":{"device_id":1}},
             {"connections":[],"counter":7,"node_type":"circular_buffer_allocate","params":{"address":111616,"device_id":0,"globally_allocated":"0","size":4096}},
             {"connections":[3],"counter":8,"node_type":"buffer_deallocate","params":{"address":1490944,"buffer_type":1,"device_id":1,"size":65536,"type":"L1"}},
             {"connections":[10,11],"counter":9,"node_type":"function_end","params":{"name":"ttnn::relu"}},
             {"connections":[],"counter":10,"node_type":"tensor","params":{"shape":"Shape([1, 1, 32, 1024])","tensor_id":8}},
             {"connections":[],"counter":11,"node_type":"capture_end","params":null}
            ]
            """;

    private static final String CALLS = """
            [{"name": "ttnn.relu", "python_stack_trace": ["  File \\"models/decoder.py\\", line 57, in forward\\n"]}]
            """;

    @TempDir
    Path folder;

    @Test
    void namesWhatIsAllocatedAtTheEndOfACapture() throws IOException {
        Answer answer = Answer.to("analyze", file("graph.json", CAPTURE));

        assertThat(answer.err()).isEmpty();
        assertThat(answer.status()).isEqualTo(2);
        assertThat(answer.out().replace(folder + "/", "")).isEqualTo("""
                        graph.json: 12 nodes, 2 of them report a buffer (graph capture)

                        INCONCLUSIVE  64 KiB in 1 L1 buffer may have leaked

                           why   Tracking ended at event #4 (the capture ended before the device was closed), so it is not known whether 1
                                 buffer was freed later.
                        1. L1  64 KiB (65536 B) on device 1 at 0x16b800 (1488896), owned by ttnn::relu
                           why   undecided: no free was reported
                           seen  allocated in ttnn::relu (event #3)
                                 tracking ended later on (event #4), so it may have been freed, and no snapshot covers it

                        note    No call site is named, because no origins were captured.
                        note    1 buffer is still allocated at the end of the capture; the device was not closed. Weights and caches always are.
                        note    Buffers from before the capture are not judged: 1 in use, of which 1 freed.
                        limits  no allocator snapshot: rests on the reports alone
                        sum     1 allocated = 0 freed + 1 undecided

                        Allocated at the end of the capture: 1 buffer
                          node  device  type  size              allocated in  tensors                    used by
                          4     1       L1    64 KiB (65536 B)  ttnn::relu    8 Shape([1, 1, 32, 1024])  -
                        """);
    }

    @Test
    void whatRemainsHasLeakedIfTheEndIsJudgedAndThePythonCallsBesideItNameTheLine() throws IOException {
        String capture = file("graph.json", CAPTURE);
        file("graph.python_io.json", CALLS);

        Answer answer = Answer.to("analyze", "--at-end", capture);

        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.out())
                .contains("LEAK  64 KiB in 1 L1 buffer was never freed; allocated in models/decoder.py:57\n")
                .contains("   at decoder.forward(models/decoder.py:57)\n")
                .contains("ttnn::relu at models/decoder.py:57  8 Shape([1, 1, 32, 1024])  -\n");
    }

    @Test
    void anExceptionInACaptureNamesTheBufferAtTheAddressOfItsClash() throws IOException {
        String clash = "Statically allocated circular buffers in program 12 clash with L1 buffers on core range"
                + " [0-0 - 7-7]. L1 buffer allocated at 1488896 and static circular buffer region ends at 1600000";
        String aborted =
                ",\n {\"connections\":[12],\"counter\":11,\"node_type\":\"function_start\",\"params\":{\"name\":\"ttnn::matmul\"}},"
                        + "\n {\"connections\":[13],\"counter\":12,\"node_type\":\"function_end\",\"params\":{\"aborted\":\"true\","
                        + "\"abort_reason\":\"TT_THROW @ program.cpp:1\\ninfo:\\n" + clash
                        + "\\nbacktrace:\",\"name\":\"ttnn::matmul\"}},\n {\"connections\":[],\"counter\":13";

        file("graph.python_io.json", CALLS);

        Answer answer = Answer.to(
                "analyze", file("graph.json", CAPTURE.replace(",\n {\"connections\":[],\"counter\":11", aborted)));

        assertThat(answer.out()).contains("""
                note    An exception left ttnn::matmul (node 12): "TT_THROW @ program.cpp:1". The rejected request: occupied: circular
                        buffers up to 0x186a00 (1600000), and an L1 buffer lies at 0x16b800 (1488896). The capture has these buffers
                        there in it: 64 KiB (65536 B) at 0x16b800 (1488896), label "tensor 8 Shape([1, 1, 32, 1024])", at
                        decoder.forward(models/decoder.py:57).
                """);
    }

    /** Returns a capture of four operations, each of which leaves a buffer. */
    static String rounds() {
        StringBuilder nodes = new StringBuilder("[{\"counter\":0,\"node_type\":\"capture_start\"}");
        for (int round = 0; round < 4; round++) {
            int first = 1 + 4 * round;
            nodes.append(String.format(
                    ",{\"counter\":%d,\"node_type\":\"function_start\",\"params\":{\"name\":\"forward\"}}"
                            + ",{\"counter\":%d,\"node_type\":\"buffer\",\"params\":{\"size\":64,\"type\":\"L1\"}}"
                            + ",{\"connections\":[%2$d],\"counter\":%d,\"node_type\":\"buffer_allocate\","
                            + "\"params\":{\"address\":%d,\"size\":64,\"type\":\"L1\",\"device_id\":0}}"
                            + ",{\"counter\":%d,\"node_type\":\"function_end\",\"params\":{\"name\":\"forward\"}}",
                    first, first + 1, first + 2, 4096 + 64 * round, first + 3));
        }
        return nodes + ",{\"counter\":17,\"node_type\":\"capture_end\"}]";
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }
}
