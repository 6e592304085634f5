package dev.meshguard.capture.internal;

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
    private final OptionalInt rank;

    private ReportTables(Connection connection, Map<String, Set<String>> columns, OptionalInt rank) {
        this.connection = connection;
        this.columns = columns;
        this.rank = rank;
    }

    /** Reads the names of the tables and columns. */
    static ReportTables of(Connection connection) throws SQLException {
        Map<String, Set<String>> columns = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT t.name, c.name FROM sqlite_master t"
                                + " JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'")) {
            while (rows.next()) {
                columns.computeIfAbsent(rows.getString(1).toLowerCase(Locale.ROOT), first -> new HashSet<>())
                        .add(rows.getString(2).toLowerCase(Locale.ROOT));
            }
        }
        return new ReportTables(connection, columns, OptionalInt.empty());
    }

    /** Returns the rows of one rank only. */
    ReportTables ofRank(int newRank) {
        return new ReportTables(connection, columns, OptionalInt.of(newRank));
    }

    OptionalInt rank() {
        return rank;
    }

    /** Returns whether the database was imported from reports of graphs; the older writer has no table for their metadata. */
    boolean isImported() {
        return columns.containsKey("report_metadata");
    }

    /** Returns whether there is a table with these columns. */
    boolean has(String table, String... names) {
        Set<String> found = columns.get(table);
        return found != null && found.containsAll(Set.of(names));
    }

    /**
     * Returns the ranks of the processes that wrote rows; none if the version does not name them.
     *
     * @throws UnreadableOutputException if one is no number
     */
    Set<Integer> ranks() throws SQLException, UnreadableOutputException {
        Set<Integer> ranks = new TreeSet<>();
        for (String table : List.of(OPERATIONS, BUFFERS)) {
            if (has(table, RANK)) {
                try (ResultSet rows = query("SELECT DISTINCT rank, typeof(rank) = 'integer' FROM " + table)) {
                    while (rows.next()) {
                        if (!rows.getBoolean(2)) {
                            throw new UnreadableOutputException(
                                    "it has rows whose rank is no number, so it is not known whose they are");
                        }
                        ranks.add(rows.getInt(1));
                    }
                }
            }
        }
        return ranks;
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
