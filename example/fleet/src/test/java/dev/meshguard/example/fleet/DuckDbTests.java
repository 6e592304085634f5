package dev.meshguard.example.fleet;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The queries in DuckDB. */
class DuckDbTests extends FleetQueries {

    @Override
    QueryEngine open() throws SQLException {
        return new DuckDb(DriverManager.getConnection("jdbc:duckdb:"));
    }

    @Override
    int fleets() {
        return 12;
    }

    private record DuckDb(Connection connection) implements QueryEngine {

        @Override
        public String lines() {
            return "duckdb.sql";
        }

        @Override
        public void execute(String statement) throws SQLException {
            try (Statement jdbc = connection.createStatement()) {
                jdbc.execute(statement);
            }
        }

        @Override
        public List<List<String>> rows(String query) throws SQLException {
            try (Statement jdbc = connection.createStatement();
                    ResultSet result = jdbc.executeQuery(query)) {
                List<List<String>> rows = new ArrayList<>();
                while (result.next()) {
                    List<String> row = new ArrayList<>();
                    for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                        row.add(String.valueOf(result.getObject(column)));
                    }
                    rows.add(row);
                }
                return rows;
            }
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
