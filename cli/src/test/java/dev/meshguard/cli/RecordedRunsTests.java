package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.page.RunPage;
import dev.meshguard.page.SuiteFolder;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

/**
 * {@code meshguard record}, {@code diff}, {@code page} and {@code suite}, called like from a shell.
 */
class RecordedRunsTests {

    @TempDir
    Path folder;

    @Test
    void aProgramThatReportsNothingProvesNothingAndItsOutputIsShown() {
        Path history = folder.resolve("run.jsonl");

        Answer answer = Answer.to(
                "record", "--without-page", "-o", history.toString(), "--", "sh", "-c", "echo decoding; exit 3");

        assertThat(answer.status()).isEqualTo(3);
        assertThat(answer.err()).isEqualTo("decoding\n");
        assertThat(answer.out())
                .startsWith("INCONCLUSIVE  ")
                .contains("(sh -c echo decoding; exit 3) exited with status 3; it last printed: decoding");
        assertThat(Answer.to("analyze", history.toString()).status()).isEqualTo(2);
    }

    @Test
    void aProgramReadsTheInputOfTheCommand() throws Exception {
        Process record = MeshGuardProcess.of(List.of(), List.of("record", "--without-page", "--", "cat"))
                .redirectErrorStream(true)
                .start();
        try (OutputStream input = record.getOutputStream()) {
            input.write("a prompt\n".getBytes(StandardCharsets.UTF_8));
        }

        assertThat(record.onExit().get(1, TimeUnit.MINUTES).exitValue()).isEqualTo(2);
        assertThat(record.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("a prompt");
    }

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
    void memoryOfAMeshThatAProgramOpensIsExpectedByALineOfAFile() throws Exception {
        provideClientOfPython();
        Files.writeString(folder.resolve("leak.py"), """
                import meshguard
                mesh = meshguard.Mesh('1x1 mesh', [0])
                meshguard.allocated(0, 'DRAM', 0x1000, 64, mesh=mesh)
                mesh.closed()
                """);

        Answer answer = record(
                List.of("--without-page"), "python3", folder.resolve("leak.py").toString());

        assertThat(answer.out()).contains("expect  DRAM device 0 size 64 count atMost 1");
    }

    @Test
    void aProgramInPythonIsNamedByItsLineAndItsHistoryKeepsWhatItSaid() throws Exception {
        provideClientOfPython();

        assertThatTheVerdictIsThatOfThePage("processes.md", "import meshguard\n", "python3 decode.py");

        assertThat(folder.resolve("run.jsonl")).content().contains("\"kv-cache\"", "\"warm-up\"", "decode.py");
    }

    @Test
    void aProgramCanReportWithoutAClient() throws Exception {
        require("nc");

        assertThatTheVerdictIsThatOfThePage("protocol.md", "{\n", "sh decode.sh");
    }

    private void provideClientOfPython() throws IOException, InterruptedException {
        require("python3");
        Files.writeString(
                folder.resolve("meshguard.py"), Answer.to("client", "python").out());
    }

    /** The program is a block of the page, and its verdict the next one. */
    private void assertThatTheVerdictIsThatOfThePage(String name, String begin, String command) throws IOException {
        String page = Files.readString(Path.of("..", "docs").resolve(name));
        int program = page.indexOf("\n" + begin) + 1;
        Files.writeString(folder.resolve(command.split(" ", -1)[1]), blockAt(page, program));

        Answer answer = record(
                List.of("--without-page", "-o", folder.resolve("run.jsonl").toString()),
                "sh",
                "-c",
                "cd '" + folder + "' && exec " + command);

        assertThat(answer.out()
                        .replaceAll("process [0-9]+", "process 4711")
                        .replaceAll("\\(sh -c .*\\)", "(" + command + ")")
                        .replace(System.lineSeparator(), "\n"))
                .isEqualTo(blockAt(page, page.indexOf("\nLEAK", program) + 1));
    }

    private static String blockAt(String page, int begin) {
        return page.substring(begin, page.indexOf("```", begin));
    }

    /** Where there is no such program the test is skipped and says so, unless it is required. */
    private static void require(String program) throws InterruptedException {
        try {
            new ProcessBuilder(program, "-h").redirectErrorStream(true).start().waitFor();
        } catch (IOException notFound) {
            assertThat(System.getenv("MESHGUARD_CLIENTS"))
                    .as(program + " does not run, and the environment says how much that matters")
                    .isNotEqualTo("required");
            System.out.println("SKIPPED: " + program + " does not run, so a program that needs it was not recorded.");
            throw new TestAbortedException(program + " does not run");
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

    @Test
    void aRunBecomesAPageWithTheNotesOfItsLog() throws IOException {
        Files.writeString(
                folder.resolve("leak.log"),
                "Out of Memory: Not enough space to allocate 4096 B DRAM buffer across 12 banks, where each bank needs to store"
                        + " 352 B, but bank size is only 1024 B\n"
                        + CommandTests.LEAK);

        assertThat(Answer.in(folder, "page leak.log -o leak.html")).isEqualTo(new Answer(0, "leak.html\n", ""));

        assertThat(folder.resolve("leak.html"))
                .content()
                .contains(
                        "\"title\":\"leak.log\",\"outcome\":\"LEAKED\"",
                        "leak.log:2",
                        "The runtime rejected a request (line 1): ");
    }

    @Test
    void theRunsOfAFolderAreListedOnOnePage() throws IOException {
        SuiteFolder.at(folder.resolve("pages/machine-a")).add("one", page("one"));
        SuiteFolder.at(folder.resolve("pages/machine-b")).add("one", page("one"));
        Path index = folder.resolve("pages/index.html");

        assertThat(Answer.to("suite", folder.resolve("pages").toString()))
                .isEqualTo(new Answer(0, index + ": 2 runs\n", ""));

        assertThat(Files.readString(index))
                .contains("\"page\":\"machine-a/runs/one.html\"", "\"page\":\"machine-b/runs/one.html\"");
        Files.writeString(folder.resolve("pages/machine-b/runs/two.json"), "{");
        assertThat(Answer.to("suite", folder.resolve("pages").toString()))
                .isEqualTo(new Answer(
                        2, index + ": 2 runs\nWarning: machine-b/runs/two.json cannot be read, and is omitted.\n", ""));
    }

    @Test
    void aFolderWhosePageCannotBeWrittenIsNamedWithTheWayOut() throws IOException {
        SuiteFolder.at(folder.resolve("pages")).add("one", page("one"));
        Files.createDirectories(folder.resolve("pages/index.html/not-empty"));

        Answer answer = Answer.to("suite", folder.resolve("pages").toString());

        assertThat(answer.status()).isEqualTo(74);
        assertThat(answer.err())
                .startsWith("meshguard: " + folder.resolve("pages") + " cannot be written: ")
                .endsWith(". Give a folder to which this user may write.\n");
    }

    private static RunPage page(String title) {
        return RunPage.of(
                title,
                VerdictReport.of(
                        LeakCheck.create().examine(AllocationTracker.create().history())));
    }
}
