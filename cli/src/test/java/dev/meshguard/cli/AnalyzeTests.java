package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import dev.meshguard.cli.common.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code meshguard analyze}, called like from a shell. */
class AnalyzeTests {

    private static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=901152)\n";
    private static final String LEAK = ALLOCATED + "🛑 Allocation Server stopped\n";
    private static final String FREED = "✗ [PID 7] Freed buffer 901152 on device 0 (4096 bytes, FINAL)\n";
    private static final String UNKNOWN =
            "⚠ [PID 7] Deallocation for unknown buffer 901152 on device 0 (allocated before tracking started)\n";

    @TempDir
    Path folder;

    static Stream<Arguments> logs() {
        return Stream.of(
                Arguments.of("all is freed", ALLOCATED + FREED, 0),
                Arguments.of("a leak", LEAK, 1),
                Arguments.of("a program that may still run", ALLOCATED, 2),
                Arguments.of("cut", ALLOCATED + FREED + "✓ [PID 7] Alloc", 2),
                Arguments.of("a block that is not read", "Allocation Server started\nBUFFER ALLOCATED\nDevice: 0\n", 2),
                Arguments.of("a free too many", ALLOCATED + FREED + UNKNOWN, 3));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("logs")
    void theStatusSaysWhatALogShows(String unused, String log, int status) {
        assertThat(analyze(log).status()).isEqualTo(status);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE"})
    void rejectsALogOfPowerShellAndSaysHowToFixIt(String encoding) throws IOException {
        Path log = Files.write(folder.resolve("p.log"), ("[PID 7] text\n" + ALLOCATED).getBytes(encoding));

        for (String[] command : new String[][] {
            {"analyze", log.toString()},
            {"page", log.toString()}
        }) {
            Answer answer = Answer.to(command);

            assertThat(answer.status()).isEqualTo(64);
            assertThat(answer.err())
                    .startsWith("meshguard: " + log + " cannot be read: It is UTF-16")
                    .contains("iconv -f UTF-16 -t UTF-8");
        }
    }

    @Test
    void aPipeIsReadByItsPath() throws Exception {
        Path pipe = folder.resolve("pipe");
        assumeTrue(isMade(pipe), "There is no mkfifo here");
        Process writer =
                new ProcessBuilder("sh", "-c", "printf '%s' \"$1\" > \"$2\"", "sh", LEAK, pipe.toString()).start();

        Answer answer = Answer.to("analyze", pipe.toString());

        assertThat(writer.waitFor()).isZero();
        assertThat(answer.err()).isEmpty();
        assertThat(answer.status()).isEqualTo(1);
    }

    private static boolean isMade(Path pipe) throws InterruptedException {
        try {
            return new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void roundsThatLeaveMoreAndMoreAreALeakWhateverIsExpected() throws IOException {
        String expected = file("expected.txt", "L1 because \"all of them\"\n");

        Answer answer =
                Answer.toInput(threeRoundsThatGrow(), "analyze", "--expected", expected, "--rounds", "^=== Run", "-");

        assertThat(answer.status()).isEqualTo(1);
        assertThat(answer.out()).contains("growing by 4 KiB (4096 B) per round, in rounds 2-3");
        assertThat(Answer.toInput(threeRoundsThatGrow(), "analyze", "--json", "--rounds", "^=== Run", "-")
                        .out())
                .contains("\"rounds\" : {", "\"count\" : 3,", "\"trend\" : \"GROWING\",");
    }

    private static String threeRoundsThatGrow() {
        String log = "";
        for (int round = 1; round <= 3; round++) {
            log += "=== Run " + round + "\n" + ALLOCATED.replace("901152", String.valueOf(4096 * round));
        }
        return log;
    }

    @Test
    void theWorstOfSeveralLogsCounts() throws IOException {
        String clean = file("clean.log", ALLOCATED + FREED);
        String cut = file("cut.log", ALLOCATED + FREED + "✓ [PID 7] Alloc");
        String leak = file("leak.log", LEAK);

        assertThat(Answer.to("analyze", clean, cut).status()).isEqualTo(2);
        assertThat(Answer.to("analyze", leak, cut, clean).status()).isEqualTo(1);
    }

    @Test
    void aFileThatCannotBeReadKeepsNoOtherFromItsAnswer() throws IOException {
        String leak = file("leak.log", LEAK);

        Answer answer = Answer.to("analyze", "nowhere.log", leak);

        assertThat(answer.out()).startsWith(leak + ": 2 lines").contains("LEAK  4 KiB in 1 L1 buffer");
        assertThat(answer.err())
                .startsWith("meshguard: nowhere.log does not exist.")
                .hasLineCount(1);
        assertThat(answer.status()).isEqualTo(64);
    }

    @Test
    void ofFilesThatCannotBeReadTheJsonNamesEach() {
        Answer answer = Answer.to("analyze", "--json", "a.log", "b.log");

        assertThat(answer.out().replaceAll("\\s+", " "))
                .contains("\"logs\" : [ ], \"unreadable\" : [ \"a.log does not exist. ", "\"b.log does not exist. ");
        assertThat(answer.err()).hasLineCount(2);
        assertThat(answer.status()).isEqualTo(64);
    }

    static Stream<Arguments> jsonDocuments() {
        return Stream.of(
                Arguments.of(
                        "{\"0\": {\"loc\": \"a.mlir\", \"dram\": {\"num_banks\": 12, \"total_bytes_per_bank\": 64}}}",
                        "with memory results of tt-mlir's runtime"),
                Arguments.of("{\n \"format\": \"meshguard-verdict\"\n}", "of the format \"meshguard-verdict\""),
                Arguments.of("[{\"x\": [" + "1,".repeat(9_000) + "1]}]", "whose first key is \"x\""),
                Arguments.of("[]", "without a key"));
    }

    @ParameterizedTest
    @MethodSource("jsonDocuments")
    void jsonOfAnotherKindIsNamedForWhatItIs(String json, String kind) throws IOException {
        String file = file("results.json", json);

        assertThat(Answer.to("analyze", file))
                .isEqualTo(new Answer(
                        64,
                        "",
                        "meshguard: " + file + " is JSON " + kind
                                + ", which is not read. Give a log, a history, a graph"
                                + " capture or a database, a memory report (CSV) or shared memory. Of JSON, histories and"
                                + " graph captures are read.\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"a\": 1}\n{\"b\": 2}\n", "{\"level\":\"info\",\"kind\":\"x\"}\n", "{\"log\": \"", "[1]\n"})
    void linesThatLookLikeJsonAreALog(String lines) {
        assertThat(analyze(lines + LEAK).out()).contains("LEAK  4 KiB in 1 L1 buffer");
    }

    @ParameterizedTest
    @CsvSource({
        "--phase x,      history, logs",
        "--rounds x,     history, 'logs, graph captures and databases'",
        "--rank 1,       log,     databases",
        "--phase x,      graph capture, logs",
    })
    void anOptionThatFitsNoFileIsRejected(String option, String kind, String kinds) throws IOException {
        String content = switch (kind) {
            case "history" ->
                "{\"kind\":\"header\",\"format\":\"meshguard-history\",\"version\":2,\"minor\":0,"
                        + "\"flatAddresses\":true}\n";
            case "log" -> LEAK;
            default -> "[{\"counter\":0,\"node_type\":\"capture_start\"}]";
        };
        String file = file("input", content);

        assertThat(Answer.to(("analyze " + option + " " + file).split(" ")))
                .isEqualTo(new Answer(
                        64,
                        "",
                        "meshguard: " + file + " is a " + kind + ", and " + option.replaceFirst(" .*", "") + " is for "
                                + kinds + ". Leave it out.\n"));
    }

    @Test
    void theAnswerNamesTheCommandThatWritesThePageOfALeak() throws IOException {
        String leak = file("leak.log", LEAK);
        String clean = file("clean.log", ALLOCATED + FREED);

        assertThat(Answer.to("analyze", leak).out())
                .contains("page    meshguard page " + leak + System.lineSeparator());
        assertThat(Answer.to("analyze", clean).out()).doesNotContain("meshguard page");
        assertThat(analyze(ALLOCATED).out()).doesNotContain("meshguard page");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void theCommandForThePageQuotesItsPathForTheShell() throws IOException {
        String leak = file("user's leak.log", LEAK);

        assertThat(Answer.to("analyze", leak).out())
                .contains("page    meshguard page '" + leak.replace("'", "'\\''") + "'" + System.lineSeparator());
    }

    @Test
    void theAnswerNamesWhatLeakedAndWhereItStandsInTheLog() {
        assertThat(analyze("text\n" + LEAK + "other\n").out()).isEqualTo("""
standard input: 4 lines, 1 of them reports a buffer

LEAK  4 KiB in 1 L1 buffer of process 7 was never freed (standard input:2)

1. L1  4 KiB (4096 B) on device 0 at 0xdc020 (901152)
   where standard input:2; this protocol sends no code lines
   why   UNEXPLAINED: no free was reported
   fix   Free the buffer before the program ends.
   seen  allocated in START (event #3)

limits  no allocator snapshot: rests on the reports alone
sum     1 allocated = 0 freed + 1 leaked
expect  L1 device 0 size 4096 count atMost 1 because "…"

Events in the log: #3 line 2

Addresses: 1, of which 0 as often freed as allocated, 1 less often, 0 more often
  device  address           type  allocated  freed  unknown  largest         lines
  0       0xdc020 (901152)  L1    1          0      0        4 KiB (4096 B)  2

Not read: 2 of 4 lines: 1, 4
  line 1: text
  line 4: other
""".replace("\n", System.lineSeparator()));
    }

    @Test
    void expectedBuffersExitWithZero() throws IOException {
        String expected = file("expected.txt", "L1 size 4096 because \"dispatch keeps it\"\n");

        assertThat(Answer.toInput(LEAK, "analyze", "--expected", expected, "-").status())
                .isZero();
    }

    @Test
    void anInputThatBreaksIsSaidInOneLine() {
        InputStream broken = failing(() -> {
            throw new IOException("the disk is gone");
        });

        Answer answer = Answer.to(broken, "analyze", "-");

        assertThat(answer.status()).isEqualTo(64);
        assertThat(answer.err()).isEqualTo("meshguard: standard input cannot be read: the disk is gone\n");
    }

    @Test
    void aDefectOfTheProgramIsNotTakenForALeak() {
        InputStream defect = failing(() -> {
            throw new IllegalStateException("a defect");
        });

        Answer answer = Answer.to(defect, "analyze", "-");

        assertThat(answer.status()).isEqualTo(70);
        assertThat(answer.err())
                .startsWith("meshguard: this is a defect of meshguard. Please report it with what follows.\n");
    }

    @Test
    void namesThePhaseOfAScriptInWhichABufferWasAllocated() {
        assertThat(Answer.toInput("=== teardown ===\n" + LEAK, "analyze", "--phase", "^=== (.+) ===$", "-")
                        .out())
                .contains("   seen  allocated in teardown (event #4)\n");
    }

    @Test
    void asJsonTheAnswerIsOneDocument() throws IOException {
        String json = Answer.toInput("text\n" + LEAK, "analyze", "--json", "-").out();

        try (JsonParser parser = new JsonFactory().createParser(json)) {
            while (parser.nextToken() != null) {
                assertThat(parser.currentToken()).isNotNull();
            }
        }
        assertThat(json.substring(0, json.indexOf("\"eventLines\"")).replaceAll("\\s+", " "))
                .isEqualTo(
                        "{ \"format\" : \"meshguard-analysis\", \"version\" : 1, \"logs\" : [ { \"log\" : \"standard"
                                + " input\", \"status\" : \"LEAKED\", \"lines\" : 3, \"reports\" : 1,"
                                + " \"comparedStatistics\" : 0, \"differingStatistics\" : 0, \"addresses\" : [ {"
                                + " \"device\" : 0, \"address\" : 901152, \"type\" : \"L1\", \"allocated\" : 1, \"freed\" : 0,"
                                + " \"unknownFrees\" : 0, \"largestSize\" : 4096, \"sizeChanges\" : 0, \"processDied\" : false,"
                                + " \"firstLine\" : 2, \"lastLine\" : 2 } ], \"unread\" : { \"count\" : 1, \"ranges\" : [ {"
                                + " \"first\" : 1, \"last\" : 1 } ], \"samples\" : [ { \"line\" : 1, \"text\" : \"text\" } ] }, ");
        assertThat(json).contains("\"outcome\" : \"LEAKED\"");
    }

    @Test
    void withoutACommandTheHelpIsShownAndTheStatusIs64() {
        Answer answer = Answer.to();

        assertThat(answer.status()).isEqualTo(64);
        assertThat(answer.err()).startsWith("Usage: meshguard [-hV] COMMAND").contains("  analyze  ", "  record   ");
    }

    @Test
    void theHelpAndTheDocumentationHaveTheSameExitStatuses() throws IOException {
        List<String> documented = Files.readAllLines(Path.of("..", "docs", "command-line.md")).stream()
                .filter(line -> line.matches("\\| (\\d+|128\\+N|other) \\| .*"))
                .map(line -> line.replaceAll("^\\| | \\|$", "")
                        .replaceFirst(" \\| ", " ")
                        .replaceAll("\\[|]\\(.*?\\)", ""))
                .toList();

        assertThat(ExitStatus.table().entrySet().stream().map(status -> status.getKey() + " " + status.getValue()))
                .containsExactlyElementsOf(documented);
        assertThat(Answer.to("analyze", "--help").out())
                .contains("Exit status:", "  1       memory was not freed", "  128+N   signal N ended meshguard");
    }

    private Answer analyze(String log) {
        return Answer.toInput(log, "analyze", "-");
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    /** A read error. */
    @FunctionalInterface
    private interface Failure {
        int happens() throws IOException;
    }

    private static InputStream failing(Failure failure) {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                return failure.happens();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return failure.happens();
            }
        };
    }
}
