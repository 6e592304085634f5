package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log that needs more memory than the JVM has ends with one line that names the log, the memory and the way out. */
@Timeout(120)
class AnalyzeMemoryTests {

    private static final List<String> SMALL_HEAP = List.of("-Xmx24m", "-XX:+UseG1GC");
    private static final int MANY_LINES = 1_000_000;

    /** Few enough to be read and judged with that heap, but too many for the text of the JSON document. */
    private static final int LINES_OF_LARGE_ANSWER = 12_000;

    @TempDir
    Path folder;

    @Test
    void aPipeThatDoesNotFitIsNotReadToItsEnd() throws Exception {
        Process program = started("analyze", "-");

        int sent = sendUntilClosed(program.getOutputStream());

        assertThat(sent).isLessThan(MANY_LINES);
        assertThatItEndsWith(
                program,
                "standard input does not fit into the memory that Java has (24 MiB), and the rest of it was not read: give Java more: java -Xmx96m -jar meshguard.jar …");
    }

    @Test
    void aPipeByPathIsOneToo() throws Exception {
        Process program = started("analyze", "/dev/stdin");

        sendUntilClosed(program.getOutputStream());

        assertThatItEndsWith(
                program,
                "/dev/stdin does not fit into the memory that Java has (24 MiB), and the rest of it was not read: give Java more: java -Xmx96m -jar meshguard.jar …");
    }

    @Test
    void aHistoryThatDoesNotFitAsksForMoreMemory() throws Exception {
        Process program = started("page", "-");

        sendUntilClosed(program.getOutputStream());

        assertThatItEndsWith(
                program,
                "standard input does not fit into the memory that Java has (24 MiB): give Java more: java -Xmx96m -jar meshguard.jar …");
    }

    @Test
    void anAnswerThatDoesNotFitIsNoVerdict() throws Exception {
        Path log = folder.resolve("server.log");
        try (BufferedWriter writer = Files.newBufferedWriter(log)) {
            for (int buffer = 1; buffer <= LINES_OF_LARGE_ANSWER; buffer++) {
                writer.write(line(buffer));
            }
        }

        assertThatItEndsWith(
                started("analyze", "--json", log.toString()),
                "The answer about " + log
                        + " does not fit into the memory that Java has (24 MiB), so it is not whole: give Java more: java -Xmx96m -jar meshguard.jar …");
    }

    private Process started(String... arguments) throws IOException {
        return MeshGuardProcess.of(SMALL_HEAP, List.of(arguments))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(folder.resolve("errors").toFile())
                .start();
    }

    private void assertThatItEndsWith(Process program, String sentence) throws Exception {
        try {
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            program.destroyForcibly();
        }
        assertThat(folder.resolve("errors")).content().isEqualToIgnoringNewLines("meshguard: " + sentence);
        assertThat(program.exitValue()).isEqualTo(64);
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
