package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that read the databases of reports, called like from a shell. */
class DatabaseTests {

    @TempDir
    Path folder;

    @Test
    void namesTheLineOfPythonThatAllocatedWhatRemains() throws SQLException {
        write(folder.resolve("db.sqlite"), 0);

        Answer answer = Answer.in(folder, "analyze --at-end db.sqlite");

        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()).isEqualTo("""
                db.sqlite: 3 operations, 4 buffers in their snapshots (report database)

                LEAK  2 KiB in 1 L1 buffer was never freed; allocated in models/decoder.py:57

                1. L1  2 KiB on device 0, label "Shape([1, 1, 32, 1024])", owned by ttnn.matmul
                   at decoder.forward(models/decoder.py:57)
                   why   UNEXPLAINED: no free was reported
                   fix   Free the buffer before the program ends.
                   seen  allocated in ttnn.matmul (operation 2) (event #3)

                note    A database has snapshots after each operation: what was freed before the next one is not in it.
                note    Buffers of the first snapshot that its operation did not demonstrably allocate are not judged: 1, of which 1
                        freed.
                note    1 buffer has the size of the fullest bank, because no captured_graph has the whole size.
                limits  no allocator snapshot: rests on the reports alone
                sum     1 allocated = 0 freed + 1 leaked
                expect  L1 device 0 size 2048 count atMost 1 label "Shape([1, 1, 32, 1024])" origin "decoder.forward" because "…"

                Allocated at the end of the recording: 1 buffer
                  address   device  type  size            allocated in                                       tensors                     used by
                  0x16b800  0       L1    2 KiB (2048 B)  ttnn.matmul (operation 2) at models/decoder.py:57  41 Shape([1, 1, 32, 1024])  ttnn.relu (operation 3)
                """);
        assertThat(answer.status()).isEqualTo(1);
    }

    @Test
    void thePageOfARankNamesIt() throws SQLException {
        write(folder.resolve("db.sqlite"), 2);

        assertThat(Answer.in(folder, "page --rank 1 db.sqlite -o page.html").status())
                .isZero();
        assertThat(folder.resolve("page.html")).content().contains("<title>db.sqlite rank 1</title>");
    }

    /** Writes a database of some ranks, or of a version that has none. */
    static void write(Path file, int ranks) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            String rank = ranks == 0 ? "" : ", rank int NOT NULL DEFAULT 0";
            for (String table : new String[] {
                "operations (operation_id int, name text, duration float",
                "buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int",
                "stack_traces (operation_id int, stack_trace text",
                "tensors (tensor_id int, shape text, device_id int, address int, buffer_type int",
                "input_tensors (operation_id int, input_index int, tensor_id int",
                "output_tensors (operation_id int, output_index int, tensor_id int"
            }) {
                statement.execute("CREATE TABLE " + table + rank + ")");
            }
            for (int r = 0; r < Math.max(1, ranks); r++) {
                String of = ranks == 0 ? ")" : ", " + r + ")";
                for (String row : new String[] {
                    "operations VALUES (1, 'ttnn.ones', 0.1",
                    "operations VALUES (2, 'ttnn.matmul', 0.1",
                    "operations VALUES (3, 'ttnn.relu', 0.1",
                    "buffers VALUES (1, 0, 4096, 1024, 0",
                    "buffers VALUES (2, 0, 4096, 1024, 0",
                    "buffers VALUES (2, 0, 1488896, 2048, 1",
                    "buffers VALUES (3, 0, 1488896, 2048, 1",
                    "stack_traces VALUES (2, '  File \"models/decoder.py\", line 57, in forward\n    ttnn.matmul(x, w)'",
                    "tensors VALUES (41, 'Shape([1, 1, 32, 1024])', 0, 1488896, 1",
                    "output_tensors VALUES (2, 0, 41",
                    "input_tensors VALUES (3, 0, 41"
                }) {
                    statement.execute("INSERT INTO " + row + of);
                }
            }
        }
    }
}
