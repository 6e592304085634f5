package dev.meshguard.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A database as ttnn writes it. */
public final class ScriptedDatabase {

    private ScriptedDatabase() {}

    /** Writes a database by scripts among the resources of the tests. */
    public static void write(Path file, String... scripts) throws IOException, SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String script : scripts) {
                statement.executeUpdate(Files.readString(CommandTests.RESOURCES.resolve(script)));
            }
        }
    }
}
