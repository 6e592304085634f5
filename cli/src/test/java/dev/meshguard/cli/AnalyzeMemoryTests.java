package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file that needs more heap than the JVM has ends with one line that names the file, the heap and the way out. */
@Timeout(120)
class AnalyzeMemoryTests {

    private static final List<String> SMALL_HEAP = List.of("-Xmx24m", "-XX:+UseG1GC");
    private static final int MANY_LINES = 1_000_000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"analyze, -", "analyze, /dev/stdin", "page, -"})
    void aPipeThatDoesNotFitIsNotReadToItsEnd(String command, String path) throws Exception {
        Process program = started(command, path);

        int sent = sendUntilClosed(program.getOutputStream());

        assertThat(sent).isLessThan(MANY_LINES);
        assertThatItEndsWith(
                program,
                command
                        + " needs more heap than this JVM has (24 MiB). Run it with -Xmx128m (meshguard: JDK_JAVA_OPTIONS=-Xmx128m meshguard …).");
    }

    /** The heap is full while it is read, or while the text of the JSON document is made. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            200000 | analyze kept.log           | kept.log needs more heap than this JVM has (24 MiB). Run it with -Xmx128m (meshguard: JDK_JAVA_OPTIONS=-Xmx128m meshguard …).
            12000  | analyze --json kept.log    | kept.log needs more heap than this JVM has (24 MiB). Run it with -Xmx128m (meshguard: JDK_JAVA_OPTIONS=-Xmx128m meshguard …).
            200000 | analyze small.log kept.log | analyze needs more heap than this JVM has (24 MiB). Run it with -Xmx128m (meshguard: JDK_JAVA_OPTIONS=-Xmx128m meshguard …).
            """)
    void aLogThatDoesNotFitEndsWithTheSameLine(int lines, String command, String sentence) throws Exception {
        Files.writeString(folder.resolve("small.log"), line(1));
        logOf(lines);

        assertThatItEndsWith(started(Answer.words(folder, command)), sentence);
    }

    @Test
    void aDatabaseWhoseBuffersNeverChangeIsJudged() throws Exception {
        Path file = databaseOf(400_000);

        assertThatItIsJudged(started(List.of("-Xmx64m", "-XX:+UseG1GC"), "analyze", file.toString()), 0);
    }

    @Test
    void aLogOfManyForeignLinesIsJudged() throws Exception {
        Path log = Files.writeString(folder.resolve("server.log"), "x\n".repeat(3_000_000));

        assertThatItIsJudged(started("analyze", log.toString()), 2);
    }

    private void logOf(int lines) throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(folder.resolve("kept.log"))) {
            for (int buffer = 1; buffer <= lines; buffer++) {
                writer.write(line(buffer));
            }
        }
    }

    /** Each operation ends with the same buffer. */
    private Path databaseOf(int operations) throws SQLException {
        Path file = folder.resolve("db.sqlite");
        String numbers = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < "
                + operations + ") ";
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = database.createStatement()) {
            statement.execute("CREATE TABLE operations (operation_id int, name text, duration float)");
            statement.execute(
                    "CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int)");
            statement.execute(numbers + "INSERT INTO operations SELECT n, 'ttnn.relu', 1 FROM numbers");
            statement.execute(numbers + "INSERT INTO buffers SELECT n, 0, 4096, 64, 0 FROM numbers");
        }
        return file;
    }

    private Process started(String... arguments) throws IOException {
        return started(SMALL_HEAP, arguments);
    }

    private Process started(List<String> heap, String... arguments) throws IOException {
        return MeshGuardProcess.of(heap, List.of(arguments))
                .redirectOutput(folder.resolve("answer").toFile())
                .redirectError(folder.resolve("errors").toFile())
                .start();
    }

    private void assertThatItEndsWith(Process program, String sentence) throws Exception {
        assertThat(statusOf(program)).isEqualTo(64);
        assertThat(folder.resolve("errors"))
                .content()
                .satisfies(text ->
                        assertThat(text.replace(folder + "/", "")).isEqualToIgnoringNewLines("meshguard: " + sentence));
        assertThat(folder.resolve("answer")).isEmptyFile();
    }

    private void assertThatItIsJudged(Process program, int status) throws Exception {
        assertThat(statusOf(program)).isEqualTo(status);
        assertThat(folder.resolve("errors")).isEmptyFile();
        assertThat(folder.resolve("answer")).isNotEmptyFile();
    }

    private static int statusOf(Process program) throws InterruptedException {
        try {
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            program.destroyForcibly();
        }
        return program.exitValue();
    }

    private static int sendUntilClosed(OutputStream input) {
        int sent = 0;
        try (OutputStream log = new BufferedOutputStream(input, 1 << 16)) {
            while (sent < MANY_LINES) {
                log.write(line(sent + 1).getBytes(StandardCharsets.UTF_8));
                sent++;
            }
        } catch (IOException closed) {
            return sent;
        }
        return sent;
    }

    private static String line(int buffer) {
        return String.format(
                Locale.ROOT,
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device %d (buffer_id=%d)%n",
                buffer % 8,
                buffer * 4096L);
    }
}
