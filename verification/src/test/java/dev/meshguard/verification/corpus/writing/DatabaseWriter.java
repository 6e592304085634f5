package dev.meshguard.verification.corpus.writing;

import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verification.corpus.writing.WritableHistory.Step;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.sqlite.SQLiteConfig;

/**
 * Writes calls as the operations of a report database, as the importer of schema 3.1 does.
 *
 * <p>A history knows nothing of tensors and pages, so their tables are empty. Source of the tables:
 * {@code ttnn/ttnn/graph_report.py}.
 */
final class DatabaseWriter {

    private static final String FREE = "ttnn::deallocate";

    private static final List<String> TABLES = List.of(
            "devices (device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int,"
                    + " worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int,"
                    + " address_at_first_l1_cb_buffer int, num_banks_per_storage_core int, num_compute_cores int,"
                    + " num_storage_cores int, total_l1_memory int, total_l1_for_tensors int,"
                    + " total_l1_for_interleaved_buffers int, total_l1_for_sharded_buffers int, cb_limit int",
            "operations (operation_id int, name text, duration float",
            "operation_arguments (operation_id int, name text, value text",
            "stack_traces (operation_id int, stack_trace text, source_file_id int",
            "tensors (tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, address int,"
                    + " buffer_type int",
            "device_tensors (tensor_id int, device_id int, address int",
            "input_tensors (operation_id int, input_index int, tensor_id int",
            "output_tensors (operation_id int, output_index int, tensor_id int",
            "buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int,"
                    + " buffer_layout int",
            "buffer_chunks (operation_id int, device_id int, address int, bank_id int, core_x int, core_y int,"
                    + " chunk_address int, chunk_size int, page_size int, num_pages int, buffer_type int",
            "nodes (operation_id int, unique_id int, node_operation_id int, name text",
            "edges (operation_id int, source_unique_id int, sink_unique_id int, source_output_index int,"
                    + " sink_input_index int, key int",
            "captured_graph (operation_id int, captured_graph text",
            "errors (operation_id int, operation_name text, error_type text, error_message text, stack_trace text,"
                    + " timestamp text",
            "tensor_lifetime (tensor_id int, producer_operation_id int, last_use_operation_id int,"
                    + " deallocate_operation_id int, producer_source_file text, producer_source_line int,"
                    + " last_use_source_file text, last_use_source_line int",
            "tensor_consumers (tensor_id int, operation_id int, input_index int",
            "tensor_producers (tensor_id int, operation_id int, output_index int");

    private static final List<String> TABLES_WITHOUT_RANK = List.of(
            "source_files (id integer PRIMARY KEY, path text UNIQUE, contents text)",
            "local_tensor_comparison_records (tensor_id int, golden_tensor_id int, matches bool, desired_pcc float,"
                    + " actual_pcc float)",
            "global_tensor_comparison_records (tensor_id int, golden_tensor_id int, matches bool, desired_pcc float,"
                    + " actual_pcc float)",
            "report_metadata (key text UNIQUE, value text)");

    private final Connection connection;

    private DatabaseWriter(Connection connection) {
        this.connection = connection;
    }

    /** Writes a database: SQLite writes a temporary file, which is copied. */
    static void write(WritableHistory history, OutputStream file) throws IOException {
        Path draft = Files.createTempFile("meshguard-", ".sqlite");
        try {
            write(history, draft);
            Files.copy(draft, file);
        } catch (SQLException e) {
            throw new IOException("SQLite cannot write the database: " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    private static void write(WritableHistory history, Path file) throws IOException, SQLException {
        SQLiteConfig config = new SQLiteConfig();
        // The file is a draft: if the process dies, nobody reads it.
        config.setSynchronous(SQLiteConfig.SynchronousMode.OFF);
        config.setJournalMode(SQLiteConfig.JournalMode.OFF);
        try (Connection connection =
                config.createConnection("jdbc:sqlite:" + file.toAbsolutePath().toUri())) {
            connection.setAutoCommit(false);
            DatabaseWriter writer = new DatabaseWriter(connection);
            writer.createTables();
            writer.addMetadata();
            writer.addOperations(history.steps());
            writer.addSnapshots(history.steps(), history.isWhole());
            connection.commit();
        }
    }

    private void createTables() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                statement.execute("CREATE TABLE " + table + ", rank int NOT NULL DEFAULT 0)");
            }
            for (String table : TABLES_WITHOUT_RANK) {
                statement.execute("CREATE TABLE " + table);
            }
        }
    }

    private void addMetadata() throws SQLException {
        try (Rows rows = new Rows("report_metadata", "key", "value")) {
            rows.add("schema_version", "3.1");
            rows.add("rank", "0");
            rows.add("world_size", "1");
        }
    }

    private void addOperations(List<Step> steps) throws SQLException, IOException {
        try (Rows operations = new Rows("operations", "operation_id", "name");
                Rows graphs = new Rows("captured_graph", "operation_id", "captured_graph");
                Rows stacks = new Rows("stack_traces", "operation_id", "stack_trace")) {
            for (int i = 0; i < steps.size(); i++) {
                Step step = steps.get(i);
                int operation = i + 1;
                operations.add(operation, nameOf(step));
                graphs.add(operation, GraphWriter.graphOf(step));
                Optional<String> stack = step.request().origin().flatMap(DatabaseWriter::stackOf);
                if (stack.isPresent()) {
                    stacks.add(operation, stack.get());
                }
            }
        }
    }

    /** Adds the buffers after each operation. One without numbers shows the reader that something is missing. */
    private void addSnapshots(List<Step> steps, boolean isWhole) throws SQLException {
        Set<BufferGeneration> live = new LinkedHashSet<>();
        Set<Integer> devices = new TreeSet<>();
        try (Rows buffers =
                new Rows("buffers", "operation_id", "device_id", "address", "max_size_per_bank", "buffer_type")) {
            for (int i = 0; i < steps.size(); i++) {
                Step step = steps.get(i);
                if (step.isAllocation()) {
                    live.addAll(step.buffers());
                } else {
                    step.buffers().forEach(live::remove);
                }
                for (BufferGeneration buffer : live) {
                    devices.add(buffer.device());
                    buffers.add(
                            i + 1,
                            buffer.device(),
                            buffer.address(),
                            buffer.request().details().extent().orElse(buffer.size()),
                            buffer.type().code());
                }
            }
            if (!isWhole) {
                buffers.add(steps.size(), "", "", "", "");
            }
        }
        try (Rows rows = new Rows("devices", "device_id")) {
            for (int device : devices) {
                rows.add(device);
            }
        }
    }

    private static String nameOf(Step step) {
        return step.isAllocation() ? step.owner().orElse("") : FREE;
    }

    /** Returns a stack in the form of Python, innermost frame first; frames without a line are omitted. */
    private static Optional<String> stackOf(Origin origin) {
        String stack = origin.frames().stream()
                .filter(frame -> frame.getFileName() != null && frame.getLineNumber() > 0)
                .map(frame -> String.format(
                        Locale.ROOT,
                        "  File \"%s\", line %d, in %s\n",
                        frame.getFileName(),
                        frame.getLineNumber(),
                        frame.getMethodName()))
                .collect(Collectors.joining());
        return stack.isEmpty() ? Optional.empty() : Optional.of(stack);
    }

    /** Adds rows to a table. */
    private final class Rows implements AutoCloseable {

        private static final int BATCH = 1_000;

        private final PreparedStatement statement;
        private int waiting;

        private Rows(String table, String... columns) throws SQLException {
            String marks = "?" + ", ?".repeat(columns.length - 1);
            statement = connection.prepareStatement(String.format(
                    Locale.ROOT, "INSERT INTO %s (%s) VALUES (%s)", table, String.join(", ", columns), marks));
        }

        private void add(Object... values) throws SQLException {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.addBatch();
            waiting++;
            if (waiting == BATCH) {
                statement.executeBatch();
                waiting = 0;
            }
        }

        @Override
        public void close() throws SQLException {
            try (statement) {
                statement.executeBatch();
            }
        }
    }
}
