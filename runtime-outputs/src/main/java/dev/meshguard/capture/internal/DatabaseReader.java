package dev.meshguard.capture.internal;

import dev.meshguard.capture.RuntimeOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConfig;

/**
 * Reads the database of a report, which ttnn writes for the ttnn-visualizer.
 *
 * <p>The file may come from anywhere. It is opened read-only, none of its views is used, and a query that goes on for
 * much longer than reading the file takes is stopped.
 */
public final class DatabaseReader {

    private static final int STEPS_BETWEEN_CHECKS = 1_000_000;
    private static final long STEPS_OF_ANY_FILE = 100_000_000;
    private static final long STEPS_OF_A_BYTE = 200;

    private static final byte WITH_LOG = 2;

    private DatabaseReader() {}

    /**
     * Reads a database, with the log that its writer may have beside it.
     *
     * @return the output for each rank; none if the criteria name a rank that it does not have
     * @throws IOException if it is no database of a report
     */
    public static List<RuntimeOutput> read(Path named, ReadingCriteria criteria) throws IOException {
        // SQLite also has the log beside the file, and not beside a link to it.
        Path file = named.toRealPath();
        Path log = Path.of(file + "-wal");
        // SQLite makes a log to read such a file, and would leave it behind; in a folder without write access it fails.
        boolean isAtRest = usesLog(file) && !Files.exists(log);
        FileTime written = Files.getLastModifiedTime(file);
        List<RuntimeOutput> outputs = new ArrayList<>();
        try (Connection connection = open(file, isAtRest)) {
            for (ReportTables rank : ReportTables.of(connection).ranks(criteria)) {
                outputs.add(new RankReader(rank, criteria).read(named.toString()));
            }
        } catch (SQLException e) {
            throw new IOException("SQLite cannot read it: " + e.getMessage()
                    + ". Copy it again, not compressed, or read it where it was written");
        }
        if (isAtRest && (Files.exists(log) || !Files.getLastModifiedTime(file).equals(written))) {
            throw new IOException("another program opened it while it was read. Read it again");
        }
        return outputs;
    }

    /** Source: the versions at 18 and 19 of the header, in the file format of SQLite, section 1.3.3. */
    private static boolean usesLog(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] header = in.readNBytes(20);
            return header.length == 20 && header[18] == WITH_LOG && header[19] == WITH_LOG;
        }
    }

    private static Connection open(Path file, boolean isAtRest) throws SQLException, IOException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        // A URI, because a file's name may contain what separates parameters.
        Connection connection =
                config.createConnection("jdbc:sqlite:" + file.toUri() + (isAtRest ? "?immutable=1" : ""));
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA trusted_schema = OFF");
            limit(connection, STEPS_OF_ANY_FILE + STEPS_OF_A_BYTE * Files.size(file));
            // All queries see one state, also while the file is written.
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException | IOException e) {
            connection.close();
            throw e;
        }
    }

    private static void limit(Connection connection, long steps) throws SQLException {
        ProgressHandler.setHandler(connection, STEPS_BETWEEN_CHECKS, new ProgressHandler() {
            private long made;

            @Override
            protected int progress() {
                made += STEPS_BETWEEN_CHECKS;
                return made > steps ? 1 : 0;
            }
        });
    }
}
