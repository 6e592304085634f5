package dev.meshguard.capture.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The facts that a database adds to the capture of its run.
 *
 * @param contradictions its snapshots that contradict the nodes
 * @param notes the notes for a reader of the verdict
 * @param origins the lines of outermost operations, by the numbers of their nodes; none if the capture has its own
 * @param numbers the numbers of the operations of the capture
 */
record JoinedDatabase(
        List<SnapshotComparison.Contradiction> contradictions,
        List<String> notes,
        Map<Integer, Origin> origins,
        OperationNumbers numbers) {

    /**
     * Compares the database with the capture.
     *
     * @param name the name of the database in texts
     * @return empty if its operations are not among those of the capture
     */
    static Optional<JoinedDatabase> of(ReportTables tables, String name, CaptureEvidence capture) throws SQLException {
        List<Long> ids = new ArrayList<>();
        List<String> names = new ArrayList<>();
        try (ResultSet rows = tables.query("SELECT operation_id, name FROM operations WHERE "
                + tables.isOfRank("operations", "operations") + " ORDER BY operation_id")) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
                names.add(String.valueOf(rows.getString(2)));
            }
        }
        SnapshotComparison snapshots = capture.snapshots().again();
        Optional<int[]> nodes = snapshots.nodesOf(names);
        if (nodes.isEmpty()) {
            return Optional.empty();
        }
        Map<Long, Integer> nodesById = new HashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            nodesById.put(ids.get(i), nodes.get()[i]);
        }
        List<String> notes = new ArrayList<>();
        if (isComputed(tables)) {
            notes.add(name
                    + " is of the same run. Its snapshots were computed from a capture, so they prove nothing more.");
        } else {
            compare(tables, name, nodesById, snapshots);
            notes.add(name + " is of the same run.");
            notes.addAll(snapshots.notes());
        }
        return Optional.of(new JoinedDatabase(
                snapshots.contradictions(),
                notes,
                capture.hasCalls() ? Map.of() : origins(tables, nodesById),
                capture.numbers()));
    }

    /** The importer computes snapshots from nodes unless the report had detailed ones, which show as pages or chunks. */
    private static boolean isComputed(ReportTables tables) throws SQLException {
        if (!tables.has("report_metadata")) {
            return false;
        }
        for (String table : new String[] {"buffer_pages", "buffer_chunks"}) {
            if (tables.has(table, "operation_id")) {
                try (ResultSet row = tables.query("SELECT 1 FROM " + table + " LIMIT 1")) {
                    if (row.next()) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /** An operation without rows may have no snapshot, so it is not compared. */
    private static void compare(
            ReportTables tables, String name, Map<Long, Integer> nodes, SnapshotComparison snapshots)
            throws SQLException {
        try (ResultSet row = tables.query("SELECT operation_id, address, buffer_type FROM buffers WHERE "
                + tables.isOfRank("buffers", "buffers") + " ORDER BY operation_id")) {
            long open = Long.MIN_VALUE;
            int node = GraphNode.NONE;
            while (row.next()) {
                long operation = row.getLong(1);
                if (operation != open) {
                    end(snapshots, node, name, open);
                    open = operation;
                    node = nodes.getOrDefault(operation, GraphNode.NONE);
                    if (node != GraphNode.NONE) {
                        snapshots.snapshotBegan();
                    }
                }
                Optional<BufferType> type = GraphNode.typeOfCode(row.getLong(3));
                if (node != GraphNode.NONE && type.isPresent()) {
                    snapshots.buffer(node, type.get(), row.getLong(2));
                }
            }
            end(snapshots, node, name, open);
        }
    }

    private static void end(SnapshotComparison snapshots, int node, String name, long operation) {
        if (node != GraphNode.NONE) {
            snapshots.snapshotEnded(node, String.format(Locale.ROOT, "operation %d of %s", operation, name));
        }
    }

    private static Map<Integer, Origin> origins(ReportTables tables, Map<Long, Integer> nodes) throws SQLException {
        OperationTexts stacks = new OperationTexts(tables, "stack_traces", "stack_trace");
        Map<Integer, Origin> origins = new HashMap<>();
        for (Map.Entry<Long, Integer> operation : nodes.entrySet()) {
            stacks.of(operation.getKey())
                    .flatMap(PythonStack::origin)
                    .ifPresent(origin -> origins.put(operation.getValue(), origin));
        }
        return origins;
    }
}
