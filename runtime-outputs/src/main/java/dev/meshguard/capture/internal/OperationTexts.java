package dev.meshguard.capture.internal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A long text of each operation, which is read when it is needed. */
final class OperationTexts {

    /** The characters that are read: the graph of an operation with tens of thousands of nodes. */
    private static final int MAX_TEXT = 1 << 24;

    private final ReportTables tables;
    private final String query;
    /** The rows by operation; the tables have no index. */
    private final Map<Long, Long> rows = new HashMap<>();

    /** Finds the rows of a table that has one text for each operation; a database need not have it. */
    OperationTexts(ReportTables tables, String table, String column) throws SQLException {
        this.tables = tables;
        this.query = "SELECT substr(" + column + ", 1, " + MAX_TEXT + ") FROM " + table + " WHERE rowid = ";
        if (tables.has(table, "operation_id", column)) {
            try (ResultSet found =
                    tables.query("SELECT operation_id, rowid FROM " + tables.rowsOf(table) + " ORDER BY rowid")) {
                while (found.next()) {
                    rows.putIfAbsent(found.getLong(1), found.getLong(2));
                }
            }
        }
    }

    Optional<String> of(long operation) throws SQLException {
        Long row = rows.get(operation);
        if (row == null) {
            return Optional.empty();
        }
        try (ResultSet found = tables.query(query + row)) {
            return found.next() ? Optional.ofNullable(found.getString(1)) : Optional.empty();
        }
    }
}
