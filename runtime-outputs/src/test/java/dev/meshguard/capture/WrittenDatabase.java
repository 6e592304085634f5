package dev.meshguard.capture;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The database of a report as a version of ttnn writes it; shares no code with the reader. */
final class WrittenDatabase implements AutoCloseable {

    /** The writers, which differ in tables, in the order of columns, and in ranks. */
    enum Writer {
        /** Writes around each operation. */
        LIVE,
        /** Imports a report; schema 2. */
        IMPORTER,
        /** Imports the reports of all ranks; schema 3.1. */
        IMPORTER_OF_RANKS
    }

    /** The place of a buffer. */
    record Place(int device, long address, long bankSize, int type) {

        static Place l1(long address, long bankSize) {
            return new Place(0, address, bankSize, 1);
        }

        static Place dram(long address, long bankSize) {
            return new Place(0, address, bankSize, 0);
        }
    }

    private final Writer writer;
    private final Connection connection;
    private int rank;

    WrittenDatabase(Path file, Writer writer) throws SQLException {
        this.writer = writer;
        connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        connection.setAutoCommit(false);
        String ranked = writer == Writer.IMPORTER_OF_RANKS ? ", rank int NOT NULL DEFAULT 0" : "";
        execute("CREATE TABLE devices (device_id int, num_y_cores int" + ranked + ")");
        execute("CREATE TABLE operations (operation_id int, name text, duration float" + ranked + ")");
        execute("CREATE TABLE stack_traces (operation_id int, stack_trace text" + ranked + ")");
        execute("CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int" + ranked + ")");
        execute("CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int" + ranked + ")");
        execute("CREATE TABLE device_tensors (tensor_id int, device_id int, address int" + ranked + ")");
        if (writer == Writer.LIVE) {
            execute(
                    "CREATE TABLE tensors (tensor_id int UNIQUE, shape text, dtype text, layout text, memory_config text,"
                            + " device_id int, address int, buffer_type int)");
            execute("CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int,"
                    + " buffer_type int)");
        } else {
            execute("CREATE TABLE tensors (buffer_type int, tensor_id int, address int, device_id int, shape text"
                    + ranked + ")");
            execute("CREATE TABLE buffers (buffer_layout int, operation_id int, address int, device_id int,"
                    + " buffer_type int, max_size_per_bank int" + ranked + ")");
            execute("CREATE TABLE report_metadata (key text UNIQUE, value text)");
            execute("CREATE TABLE captured_graph (operation_id int, captured_graph text" + ranked + ")");
            execute("CREATE TABLE errors (operation_id int, operation_name text, error_type text, error_message text"
                    + ranked + ")");
        }
    }

    /** Goes on with the rows of another rank. */
    WrittenDatabase rank(int newRank) {
        rank = newRank;
        return this;
    }

    /** Adds an operation and the snapshot at its end, which has no row if nothing is allocated. */
    void operation(int id, String name, Place... allocated) throws SQLException {
        insert("operations", List.of("operation_id", "name", "duration"), id, name, 0.001);
        snapshot(id, allocated);
    }

    /** Adds an operation in which the process ended; only the live writer does. */
    void crash(int id, String name) throws SQLException {
        insert("operations", List.of("operation_id", "name", "duration"), id, name, null);
    }

    void stack(int operation, String stack) throws SQLException {
        insert("stack_traces", List.of("operation_id", "stack_trace"), operation, stack);
    }

    void snapshot(int operation, Place... places) throws SQLException {
        snapshot(operation, List.of(places));
    }

    void snapshot(int operation, Collection<Place> places) throws SQLException {
        for (Place place : places) {
            insert(
                    "buffers",
                    List.of("operation_id", "device_id", "address", "max_size_per_bank", "buffer_type"),
                    operation,
                    place.device,
                    place.address,
                    place.bankSize,
                    place.type);
        }
    }

    void tensor(long id, String shape, Place place) throws SQLException {
        insert(
                "tensors",
                List.of("tensor_id", "shape", "device_id", "address", "buffer_type"),
                id,
                shape,
                place.device,
                place.address,
                place.type);
    }

    void input(int operation, long tensor) throws SQLException {
        insert("input_tensors", List.of("operation_id", "input_index", "tensor_id"), operation, 0, tensor);
    }

    void output(int operation, long tensor) throws SQLException {
        insert("output_tensors", List.of("operation_id", "output_index", "tensor_id"), operation, 0, tensor);
    }

    void graph(int operation, String nodes) throws SQLException {
        insert("captured_graph", List.of("operation_id", "captured_graph"), operation, nodes);
    }

    void error(int operation, String name, String type, String message) throws SQLException {
        insert(
                "errors",
                List.of("operation_id", "operation_name", "error_type", "error_message"),
                operation,
                name,
                type,
                message);
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void insert(String table, List<String> columns, @Nullable Object... values) throws SQLException {
        boolean isRanked = writer == Writer.IMPORTER_OF_RANKS;
        String names = String.join(", ", columns) + (isRanked ? ", rank" : "");
        String marks = "?, ".repeat(columns.size() - 1) + (isRanked ? "?, " + rank : "?");
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO " + table + " (" + names + ") VALUES (" + marks + ")")) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.execute();
        }
    }

    @Override
    public void close() throws SQLException {
        connection.commit();
        connection.close();
    }
}
