package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

/** {@code meshguard record} with a program that reports, called like from a shell. */
class RecordTests {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"keep, 1, LEAKED", "free, 0, LEAK_FREE"})
    void aProgramIsJudgedAndShownOnAPageInTheSameStep(String argument, int status, String outcome) {
        Path page = folder.resolve("decode.html");

        Answer answer = record(List.of("-p", page.toString()), DecodingProgram.command(argument));

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()).contains(outcome.equals("LEAKED") ? page.toString() : "CLEAN");
        assertThat(page).content().contains("\"outcome\":\"" + outcome + "\"", "DecodingProgram");
    }

    @Test
    void aProgramInPythonIsNamedByItsLineAndItsHistoryKeepsWhatItSaid() throws Exception {
        require("python3", "--version");
        Path history = folder.resolve("run.jsonl");
        Files.writeString(
                folder.resolve("meshguard.py"), Answer.to("client", "python").out());
        Files.writeString(folder.resolve("decode.py"), """
                import meshguard


                def load():
                    with meshguard.label("kv-cache"), meshguard.phase("warm-up"):
                        meshguard.allocated(device=0, type="DRAM", address=0x1000, size=1048576)


                load()
                """);

        Answer answer = record(
                List.of("--without-page", "-o", history.toString()),
                "sh",
                "-c",
                "cd '" + folder + "' && exec python3 decode.py");

        assertThat(answer.out()
                        .replaceAll("process [0-9]+", "process 4711")
                        .replaceAll("\\(sh .*\\)", "(python3 decode.py)")
                        .replace(System.lineSeparator(), "\n"))
                .isEqualTo("""
                        LEAK  1 MiB in 1 DRAM buffer of process 4711 was never freed; allocated in decode.py:6

                        1. DRAM  1 MiB on device 0, label "kv-cache"
                           at decode.load(decode.py:6)
                           why   UNEXPLAINED: no free was reported
                           fix   Free the buffer before the program ends.
                           seen  allocated in warm-up (event #4)

                        note    process 4711 (python3 decode.py) exited with status 0
                        limits  no allocator snapshot: rests on the reports alone
                        sum     1 allocated = 0 freed + 1 leaked
                        expect  DRAM device 0 size 1048576 count atMost 1 label "kv-cache" origin "decode.load" because "…"
                        """);
        assertThat(Files.readString(history)).contains("\"kv-cache\"", "\"warm-up\"", "decode.py");
    }

    @Test
    void aProgramCanReportWithoutAClient() throws Exception {
        require("nc", "-h");
        String[] page =
                Files.readString(Path.of("..", "docs").resolve("protocol.md")).split("```\n", -1);
        Files.writeString(folder.resolve("decode.sh"), page[1]);

        Answer answer = record(List.of("--without-page"), "sh", "-c", "cd '" + folder + "' && exec sh decode.sh");

        assertThat(answer.out()
                        .replaceAll("process [0-9]+", "process 4711")
                        .replaceAll("\\(sh -c .*\\)", "(sh decode.sh)")
                        .replace(System.lineSeparator(), "\n"))
                .isEqualTo(page[3]);
    }

    /** Where there is no such program the test is skipped and says so, unless it is required. */
    private static void require(String... program) throws InterruptedException {
        try {
            new ProcessBuilder(program).redirectErrorStream(true).start().waitFor();
        } catch (IOException notFound) {
            assertThat(System.getenv("MESHGUARD_CLIENTS"))
                    .as(program[0] + " does not run, and the environment says how much that matters")
                    .isNotEqualTo("required");
            System.out.println(
                    "SKIPPED: " + program[0] + " does not run, so a program that needs it was not recorded.");
            throw new TestAbortedException(program[0] + " does not run");
        }
    }

    @Test
    void aPageThatCannotBeWrittenHidesNoVerdict() {
        Path nowhere = folder.resolve("no/such/page.html");
        Path history = folder.resolve("run.jsonl");

        Answer answer = record(List.of("-p", nowhere.toString(), "-o", history.toString()), DecodingProgram.command());

        assertThat(answer.status()).isEqualTo(64);
        assertThat(answer.err())
                .isEqualTo("meshguard: " + nowhere
                        + " cannot be written: its folder does not exist. Give another path with -p.\n");
        assertThat(answer.out()).startsWith("LEAK").doesNotContain(".html");
        assertThat(history).exists();
    }

    private static Answer record(List<String> options, String... program) {
        List<String> arguments = new ArrayList<>(List.of("record"));
        arguments.addAll(options);
        arguments.add("--");
        arguments.addAll(List.of(program));
        return Answer.to(arguments.toArray(String[]::new));
    }
}
