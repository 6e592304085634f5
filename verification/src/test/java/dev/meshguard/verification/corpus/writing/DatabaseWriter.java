package dev.meshguard.verification.corpus.writing;

import dev.meshguard.event.Origin;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verification.corpus.writing.WritableHistory.Step;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
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

    private void createTables() throws SQLException, IOException {
        try (Statement statement = connection.createStatement();
                InputStream tables = DatabaseWriter.class.getResourceAsStream("tables.sql")) {
            statement.executeUpdate(new String(tables.readAllBytes(), StandardCharsets.UTF_8));
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
