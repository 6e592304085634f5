package dev.meshguard.capture.internal;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * The tables of a report database, by name.
 *
 * <p>Versions differ in their tables, in the order of columns, and in whether rows name a rank. Only ordinary tables and
 * columns are used: a view or a virtual table could compute anything.
 */
final class ReportTables {

    static final String OPERATIONS = "operations";
    static final String BUFFERS = "buffers";

    private static final String RANK = "rank";

    private final Connection connection;
    private final Map<String, Set<String>> columns;
    /** The rank of the rows; empty if they name none. */
    final OptionalInt rank;

    private ReportTables(Connection connection, Map<String, Set<String>> columns, OptionalInt rank) {
        this.connection = connection;
        this.columns = columns;
        this.rank = rank;
    }

    /**
     * Reads the names of the tables and columns.
     *
     * @throws IOException if the tables of a report are missing
     */
    static ReportTables of(Connection connection) throws SQLException, IOException {
        ReportTables tables = new ReportTables(connection, new HashMap<>(), OptionalInt.empty());
        try (ResultSet rows = tables.query("SELECT t.name, c.name FROM sqlite_master t"
                + " JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'")) {
            while (rows.next()) {
                tables.columns
                        .computeIfAbsent(rows.getString(1).toLowerCase(Locale.ROOT), first -> new HashSet<>())
                        .add(rows.getString(2).toLowerCase(Locale.ROOT));
            }
        }
        if (!tables.has(OPERATIONS, "operation_id", "name")
                || !tables.has(BUFFERS, "operation_id", "device_id", "address", "max_size_per_bank", "buffer_type")) {
            throw new IOException("it is a database of SQLite without the tables operations and buffers of a"
                    + " report. Give the db.sqlite that ttnn wrote");
        }
        return tables;
    }

    /**
     * Returns the tables with the rows of each rank that is read; those of a version that does not name ranks are of rank 0.
     *
     * @throws IOException if a rank is no number
     */
    List<ReportTables> ranks(ReadingCriteria criteria) throws SQLException, IOException {
        Set<Integer> ranks = new TreeSet<>();
        for (String table : List.of(OPERATIONS, BUFFERS)) {
            if (has(table, RANK)) {
                try (ResultSet rows = query("SELECT DISTINCT rank, typeof(rank) = 'integer' FROM " + table)) {
                    while (rows.next()) {
                        if (!rows.getBoolean(2)) {
                            throw new IOException(
                                    "it has rows whose rank is no number, so it is not known whose they are");
                        }
                        ranks.add(rows.getInt(1));
                    }
                }
            }
        }
        if (ranks.isEmpty()) {
            return criteria.reads(0) ? List.of(this) : List.of();
        }
        return ranks.stream()
                .filter(criteria::reads)
                .map(one -> new ReportTables(connection, columns, OptionalInt.of(one)))
                .toList();
    }

    /** Returns whether the database was imported from reports of graphs; the older writer has no table for their metadata. */
    boolean isImported() {
        return columns.containsKey("report_metadata");
    }

    /** Returns whether there is a table with these columns. */
    boolean has(String table, String... names) {
        return columns.getOrDefault(table, Set.of()).containsAll(Set.of(names));
    }

    /** Returns the rows of a table of this rank, for a query. */
    String rowsOf(String table) {
        return rank.isPresent() && has(table, RANK)
                ? "(SELECT rowid, * FROM " + table + " WHERE rank = " + rank.getAsInt() + ")"
                : table;
    }

    /** Runs a query; closing the result closes all of it. */
    ResultSet query(String sql) throws SQLException {
        Statement statement = connection.createStatement();
        try {
            statement.closeOnCompletion();
            return statement.executeQuery(sql);
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }
}
