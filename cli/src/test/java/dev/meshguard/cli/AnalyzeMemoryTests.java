package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that needs more heap than the JVM has ends with one line that names the file, the heap and the way out. */
@Timeout(120)
class AnalyzeMemoryTests {

    private static final List<String> SMALL_HEAP = List.of("-Xmx24m", "-XX:+UseG1GC");

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"analyze, -", "analyze, /dev/stdin", "page, -"})
    void aPipeThatDoesNotFitIsNotReadToItsEnd(String command, String path) throws Exception {
        List<Process> pipe = ProcessBuilder.startPipeline(List.of(
                new ProcessBuilder("yes", "[PID 7] Allocated 64 bytes of DRAM on device 1 (buffer_id=101152)"),
                program(SMALL_HEAP, command, path)));

        assertThatItEndsWith(
                pipe.get(1),
                command
                        + " needs more heap than this JVM has (24 MiB). Run it with -Xmx128m (meshguard: JDK_JAVA_OPTIONS=-Xmx128m meshguard …).");
    }

    /** The heap is full while it is read, or while the text of the JSON document is made. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            200000 | analyze kept.log           | kept.log needs more heap than this JVM has (24 MiB). Run it with -Xmx128m (meshguard: JDK_JAVA_OPTIONS=-Xmx128m meshguard …).
            9000   | analyze --json kept.log    | kept.log needs more heap than this JVM has (24 MiB). Run it with -Xmx128m (meshguard: JDK_JAVA_OPTIONS=-Xmx128m meshguard …).
            200000 | analyze small.log kept.log | analyze needs more heap than this JVM has (24 MiB). Run it with -Xmx128m (meshguard: JDK_JAVA_OPTIONS=-Xmx128m meshguard …).
            """)
    void aLogThatDoesNotFitEndsWithTheSameLine(int lines, String command, String sentence) throws Exception {
        Files.writeString(folder.resolve("small.log"), line(1));
        Files.write(
                folder.resolve("kept.log"),
                IntStream.rangeClosed(1, lines)
                        .mapToObj(AnalyzeMemoryTests::line)
                        .toList());

        assertThatItEndsWith(program(SMALL_HEAP, Answer.words(folder, command)).start(), sentence);
    }

    /** The buffers fill the heap, or what the server knows of their processes; a program whose reports nobody reads would wait. */
    @ParameterizedTest
    @ValueSource(strings = {"flood", "flood of processes"})
    void aProgramThatReportsMoreThanTheHeapHoldsHasNoVerdict(String flood) throws Exception {
        List<String> words = new ArrayList<>(List.of("record", "--without-page", "--"));
        words.addAll(List.of(DecodingProgram.command(flood)));

        int status = statusOf(program(SMALL_HEAP, words.toArray(String[]::new)).start());

        assertThat(status).isEqualTo(70);
        assertThat(folder.resolve("errors"))
                .content()
                .matches(
                        "meshguard: record needs more heap than this JVM has \\(24 MiB\\)\\. Run it with -Xmx128m .*\\R");
    }

    @Test
    void aDatabaseWhoseBuffersNeverChangeIsJudged() throws Exception {
        Path file = folder.resolve("db.sqlite");
        ScriptedDatabase.write(file, "unchanged_buffer.sql");

        assertThatItIsJudged(program(List.of("-Xmx16m", "-XX:+UseG1GC"), "analyze", file.toString()), 0);
    }

    @Test
    void aLogOfManyForeignLinesIsJudged() throws Exception {
        Path log = Files.writeString(folder.resolve("server.log"), "x\n".repeat(1_200_000));

        assertThatItIsJudged(program(List.of("-Xmx10m", "-XX:+UseSerialGC"), "analyze", log.toString()), 2);
    }

    private ProcessBuilder program(List<String> heap, String... arguments) {
        return MeshGuardProcess.of(heap, List.of(arguments))
                .redirectOutput(folder.resolve("answer").toFile())
                .redirectError(folder.resolve("errors").toFile());
    }

    private void assertThatItEndsWith(Process program, String sentence) throws Exception {
        assertThat(statusOf(program)).isEqualTo(64);
        assertThat(folder.resolve("errors"))
                .content()
                .satisfies(text ->
                        assertThat(text.replace(folder + "/", "")).isEqualToIgnoringNewLines("meshguard: " + sentence));
        assertThat(folder.resolve("answer")).isEmptyFile();
    }

    private void assertThatItIsJudged(ProcessBuilder program, int status) throws Exception {
        assertThat(statusOf(program.start())).isEqualTo(status);
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

    private static String line(int buffer) {
        return String.format(
                Locale.ROOT,
                "✓ [PID 7] Allocated 4096 bytes of DRAM on device %d (buffer_id=%d)",
                buffer % 8,
                buffer * 4096L);
    }
}
