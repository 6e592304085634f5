package dev.meshguard.capture.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
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
                ResultSet tables = statement.executeQuery(
                        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")) {
            while (tables.next()) {
                columns.put(tables.getString(1).toLowerCase(Locale.ROOT), new HashSet<>());
            }
        }
        for (Map.Entry<String, Set<String>> table : columns.entrySet()) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            "PRAGMA table_info(\"" + table.getKey().replace("\"", "\"\"") + "\")")) {
                while (rows.next()) {
                    table.getValue().add(rows.getString("name").toLowerCase(Locale.ROOT));
                }
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

    /** Returns whether there is a table with these columns. */
    boolean has(String table, String... names) {
        Set<String> found = columns.get(table);
        return found != null && found.containsAll(Set.of(names));
    }

    /** Returns the ranks of the processes that wrote rows; none if the version does not name them. */
    Set<Integer> ranks() throws SQLException {
        Set<Integer> ranks = new TreeSet<>();
        for (String table : new String[] {OPERATIONS, BUFFERS}) {
            if (has(table, RANK)) {
                try (ResultSet rows = query("SELECT DISTINCT rank FROM " + table)) {
                    while (rows.next()) {
                        ranks.add(rows.getInt(1));
                    }
                }
            }
        }
        return ranks;
    }

    /** Returns the number of rows whose rank is no number. */
    long rowsWithoutRank() throws SQLException {
        long rows = 0;
        for (String table : new String[] {OPERATIONS, BUFFERS}) {
            if (has(table, RANK)) {
                try (ResultSet row = query("SELECT COUNT(*) FROM " + table + " WHERE typeof(rank) != 'integer'")) {
                    rows += row.getLong(1);
                }
            }
        }
        return rows;
    }

    /** Returns a condition on a table, by its name in the query, that holds for rows of this rank. */
    String isOfRank(String table, String name) {
        return rank.isPresent() && has(table, RANK) ? name + ".rank = " + rank.getAsInt() : "1";
    }

    /** Runs a query; closing the result closes all of it. */
    ResultSet query(String sql, long... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            statement.closeOnCompletion();
            for (int i = 0; i < parameters.length; i++) {
                statement.setLong(i + 1, parameters[i]);
            }
            return statement.executeQuery();
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }
}
