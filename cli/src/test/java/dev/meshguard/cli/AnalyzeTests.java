package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.event.BufferType;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code meshguard analyze}, called like from a shell. */
class AnalyzeTests {

    private static final String LEAK = CommandTests.LEAK;

    @TempDir
    Path folder;

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void theCommandForThePageQuotesItsPathForTheShell() throws IOException {
        String leak = Files.writeString(folder.resolve("user's leak.log"), LEAK).toString();

        assertThat(Answer.to("analyze", leak).out())
                .contains("page    meshguard page '" + leak.replace("'", "'\\''") + "'" + System.lineSeparator());
    }

    @Test
    void theAnswerNamesWhatLeakedAndWhereItStandsInTheLog() {
        assertThat(Answer.toInput("text\n" + LEAK + "other\n", "analyze", "-").out())
                .isEqualTo("""
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
  device  address           type  allocated  freed  largest         lines
  0       0xdc020 (901152)  L1    1          0      4 KiB (4096 B)  2

Not read: 2 of 4 lines: 1, 4
  line 1: text
  line 4: other
""".replace("\n", System.lineSeparator()));
    }

    @Test
    void aHistoryHasTheVerdictOfTheRunWordForWord() throws IOException {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, BufferType.DRAM, 0x1000, 64);
        tracker.freed(1, BufferType.DRAM, 0x1000);
        Path file = folder.resolve("history.jsonl");
        HistoryJson.write(tracker.history(), file);
        String verdict =
                VerdictReport.of(LeakCheck.create().examine(tracker.history())).text();

        assertThat(Answer.to("analyze", file.toString()))
                .isEqualTo(new Answer(1, file + ": 2 events (history)\n\n" + verdict + "\n", ""));
    }

    @Test
    @SuppressWarnings("InputStreamSlowMultibyteRead") // It reads nothing.
    void anInputThatBreaksIsSaidInOneLine() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the disk is gone");
            }
        };

        assertThat(Answer.to(broken, "analyze", "-"))
                .isEqualTo(new Answer(64, "", "meshguard: standard input cannot be read: the disk is gone\n"));
    }

    @Test
    @SuppressWarnings("InputStreamSlowMultibyteRead") // It reads nothing.
    void aDefectOfTheProgramIsNotTakenForALeak() {
        InputStream defect = new InputStream() {
            @Override
            public int read() {
                throw new IllegalStateException("a defect");
            }
        };

        Answer answer = Answer.to(defect, "analyze", "-");

        assertThat(answer.status()).isEqualTo(70);
        assertThat(answer.err())
                .startsWith("meshguard: this is a defect of meshguard. Please report it with what follows.\n")
                .contains("java.lang.IllegalStateException: a defect");
    }

    @Test
    void anExpressionThatNeedsTooMuchStackIsNotTakenForALeak() {
        Answer answer = Answer.toInput("a".repeat(60_000), "analyze", "--rounds", "(a|b)*c", "-");

        assertThat(answer.status()).isEqualTo(70);
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
                                + " \"largestSize\" : 4096,"
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
}
