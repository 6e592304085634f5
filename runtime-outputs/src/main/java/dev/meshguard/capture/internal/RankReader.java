package dev.meshguard.capture.internal;

import dev.meshguard.capture.RuntimeOutput;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Origin;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads one rank of a report database: its operations in order, with live buffers, tensors and errors. */
final class RankReader {

    private static final long NONE = Long.MAX_VALUE;
    private static final String NO_ROWS = "SELECT 0 WHERE 0";

    private static final String GRAPHS = "captured_graph";
    private static final String STACKS = "stack_traces";
    private static final String STACK = "stack_trace";

    /** The characters that are read: the graph of an operation with tens of thousands of nodes. */
    private static final int MAX_TEXT = 1 << 24;

    private final ReportTables tables;
    private final SnapshotRecorder recorder;
    private long operations;

    RankReader(ReportTables tables, ReadingCriteria criteria) {
        this.tables = tables;
        this.recorder = new SnapshotRecorder(criteria, tables.isImported());
    }

    RuntimeOutput read(String file) throws SQLException {
        try (Rows errors = new Rows(errors());
                Rows names = new Rows(names());
                Rows buffers = new Rows(buffers());
                Rows tensors = new Rows(tensors());
                Rows graphs = new Rows(texts(GRAPHS, GRAPHS));
                Rows stacks = new Rows(texts(STACKS, STACK))) {
            for (long id = first(names, buffers, tensors); id < NONE; id = first(names, buffers, tensors)) {
                errorsBefore(id, errors);
                ReportedOperation operation = operation(id, names, errors);
                recorder.operationBegan(operation);
                for (; tensors.operation == id; tensors.next()) {
                    tensor(operation, tensors.row);
                }
                for (; buffers.operation == id; buffers.next()) {
                    buffer(operation, buffers.row);
                }
                addGraph(operation, text(id, graphs, GRAPHS, GRAPHS));
                List<SnapshotRecorder.Live> allocated = recorder.operationEnded(operation);
                if (!allocated.isEmpty()) {
                    Optional<Origin> origin = text(id, stacks, STACKS, STACK).flatMap(PythonStack::origin);
                    allocated.forEach(buffer -> buffer.origin = origin);
                }
                for (; errors.operation == id; errors.next()) {
                    recorder.exception(operation, reason(errors.row));
                }
            }
            if (buffers.hasRow) {
                unreadableRow("operation " + NONE);
            }
            errorsBefore(NONE, errors);
        }
        return recorder.finish(file, tables.rank, operations);
    }

    private static long first(Rows... all) {
        return Arrays.stream(all).mapToLong(rows -> rows.operation).min().orElse(NONE);
    }

    /** Only the table of errors lists an operation that an exception left, in some versions. */
    private ReportedOperation operation(long id, Rows names, Rows errors) throws SQLException {
        boolean hasError = errors.operation == id;
        if (names.operation != id) {
            if (!hasError) {
                recorder.unlisted(id);
            }
            return new ReportedOperation(
                    id, hasError ? Optional.ofNullable(errors.row.getString(2)) : Optional.empty(), hasError);
        }
        operations++;
        ReportedOperation operation = new ReportedOperation(
                id, Optional.ofNullable(names.row.getString(2)), hasError || names.row.getInt(3) != 0);
        for (names.next(); names.operation == id; names.next()) {
            recorder.notes.skipped("further row of an operation");
        }
        return operation;
    }

    private static void tensor(ReportedOperation operation, ResultSet row) throws SQLException {
        Optional<BufferType> type = GraphNode.typeOfCode(row.getLong(6));
        if (type.isPresent()) {
            operation.tensor(
                    row.getInt(2) != 0,
                    row.getLong(3),
                    Optional.ofNullable(row.getString(7)),
                    new RecordedAddress(row.getInt(4), type.get(), row.getLong(5)));
        }
    }

    private void buffer(ReportedOperation operation, ResultSet row) throws SQLException {
        operation.rows++;
        long device = row.getLong(2);
        long address = row.getLong(3);
        long size = row.getLong(4);
        Optional<BufferType> type = GraphNode.typeOfCode(row.getLong(5));
        boolean isPossible =
                device >= 0 && device <= HistoryEvent.MAX_DEVICE && address >= 0 && size >= 0 && row.getInt(6) != 0;
        if (type.isEmpty() || !isPossible) {
            operation.isWhole = false;
            unreadableRow(operation.numberedName());
        } else if (operation.snapshot.put(new RecordedAddress((int) device, type.get(), address), size) != null) {
            recorder.lost(
                    1,
                    "the snapshot after " + operation.numberedName() + " has two " + type.get() + " buffers at 0x"
                            + Long.toHexString(address));
        }
    }

    private void unreadableRow(String operation) {
        recorder.lost(1, "the table buffers has a row for " + operation + " without valid numbers");
    }

    private void addGraph(ReportedOperation operation, Optional<String> graph) {
        if (graph.isPresent()) {
            try {
                operation.graph = OperationGraph.of(graph.get());
            } catch (IOException e) {
                recorder.lost(-1, "the captured_graph of " + operation.numberedName() + " is damaged");
            }
        }
    }

    /** Older versions name an operation that has no row. */
    private void errorsBefore(long id, Rows errors) throws SQLException {
        for (; errors.operation < id; errors.next()) {
            ReportedOperation operation =
                    new ReportedOperation(errors.operation, Optional.ofNullable(errors.row.getString(2)), true);
            recorder.notes.exception(operation.numberedName(), reason(errors.row), range -> Optional.empty());
        }
    }

    /** Returns the first text of an operation, which is read when it is needed. */
    private Optional<String> text(long id, Rows rows, String table, String column) throws SQLException {
        while (rows.operation < id) {
            rows.next();
        }
        if (rows.operation > id) {
            return Optional.empty();
        }
        try (ResultSet found = tables.query("SELECT substr(" + column + ", 1, " + MAX_TEXT + ") FROM " + table
                + " WHERE rowid = " + rows.row.getLong(2))) {
            return found.next() ? Optional.ofNullable(found.getString(1)) : Optional.empty();
        }
    }

    private static String reason(ResultSet error) throws SQLException {
        return error.getString(3) + ": " + error.getString(4);
    }

    /** The operation that an exception left, its name, and the type and message of the exception. */
    private ResultSet errors() throws SQLException {
        if (!tables.has("errors", "operation_id", "error_type", "error_message")) {
            return tables.query(NO_ROWS);
        }
        String name = tables.has("errors", "operation_name")
                ? "operation_name"
                : tables.has("errors", "error_operation") ? "error_operation" : "''";
        return tables.query("SELECT operation_id, " + name + ", error_type, error_message FROM "
                + tables.rowsOf("errors") + " ORDER BY operation_id");
    }

    /** The operation, its name, and whether the process ended in it. */
    private ResultSet names() throws SQLException {
        // Only the older writer has a duration for each operation that ended.
        String crashed =
                tables.has(ReportTables.OPERATIONS, "duration") && !tables.isImported() ? "duration IS NULL" : "0";
        return tables.query("SELECT operation_id, name, " + crashed + " FROM " + tables.rowsOf(ReportTables.OPERATIONS)
                + " ORDER BY operation_id");
    }

    /** The operation, device, address, size of the fullest bank, memory, and whether these are numbers. */
    private ResultSet buffers() throws SQLException {
        return tables.query("SELECT operation_id, device_id, address, max_size_per_bank, buffer_type,"
                + " typeof(operation_id) = 'integer' AND typeof(device_id) = 'integer' AND typeof(address) = 'integer'"
                + " AND typeof(max_size_per_bank) = 'integer' AND typeof(buffer_type) = 'integer' FROM "
                + tables.rowsOf(ReportTables.BUFFERS) + " ORDER BY operation_id");
    }

    /** The operation, whether the tensor is a result of it, the tensor, its device, address, memory and shape. */
    private ResultSet tensors() throws SQLException {
        if (!tables.has("tensors", "tensor_id", "shape", "device_id", "address", "buffer_type")
                || !tables.has("input_tensors", "operation_id", "tensor_id")
                || !tables.has("output_tensors", "operation_id", "tensor_id")) {
            return tables.query(NO_ROWS);
        }
        String places = "SELECT tensor_id, device_id, address FROM " + tables.rowsOf("tensors")
                + (tables.has("device_tensors", "tensor_id", "device_id", "address")
                        ? " UNION SELECT tensor_id, device_id, address FROM " + tables.rowsOf("device_tensors")
                        : "");
        return tables.query(
                "SELECT u.operation_id, u.result, t.tensor_id, p.device_id, p.address, t.buffer_type, t.shape"
                        + " FROM (SELECT operation_id, tensor_id, 0 AS result FROM " + tables.rowsOf("input_tensors")
                        + " UNION ALL SELECT operation_id, tensor_id, 1 FROM " + tables.rowsOf("output_tensors")
                        + ") u JOIN "
                        + tables.rowsOf("tensors") + " t ON t.tensor_id = u.tensor_id"
                        + " JOIN (" + places + ") p ON p.tensor_id = u.tensor_id"
                        + " WHERE p.device_id IS NOT NULL AND p.address IS NOT NULL AND t.buffer_type IS NOT NULL"
                        + " ORDER BY u.operation_id, u.result");
    }

    /** The operation, and the row of a text; a database need not have the table. */
    private ResultSet texts(String table, String column) throws SQLException {
        return tables.query(
                tables.has(table, "operation_id", column)
                        ? "SELECT operation_id, rowid FROM " + tables.rowsOf(table) + " ORDER BY operation_id, rowid"
                        : NO_ROWS);
    }

    /** Rows by operation, of which one is read at a time. */
    private static final class Rows implements AutoCloseable {

        private final ResultSet row;
        private boolean hasRow;
        /** The number, or the largest one if there is no row. */
        private long operation;

        Rows(ResultSet row) throws SQLException {
            this.row = row;
            next();
        }

        void next() throws SQLException {
            hasRow = row.next();
            operation = hasRow ? row.getLong(1) : NONE;
        }

        @Override
        public void close() throws SQLException {
            row.close();
        }
    }
}
