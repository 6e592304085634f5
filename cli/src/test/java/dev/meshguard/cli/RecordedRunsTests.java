package dev.meshguard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.page.RunPage;
import dev.meshguard.page.suite.SuiteFolder;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code meshguard record}, {@code diff}, {@code page} and {@code suite}, called like from a shell.
 */
class RecordedRunsTests {

    private static final String ALLOCATED = "✓ [PID 7] Allocated 4096 bytes of L1 on device 0 (buffer_id=101152)\n";
    private static final String OTHER = "✓ [PID 7] Allocated 8192 bytes of DRAM on device 3 (buffer_id=4096)\n";
    private static final String FREED = "✗ [PID 7] Freed buffer 101152 on device 0 (4096 bytes, FINAL)\n";

    @TempDir
    Path folder;

    private String clean = "";
    private String leak = "";

    @BeforeEach
    void writeLogs() throws IOException {
        clean = file("clean.log", ALLOCATED + FREED);
        leak = file("leak.log", ALLOCATED + FREED + OTHER + "Allocation Server stopped\n");
    }

    // Record

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
    void aProgramThatThereIsNotIsSaidInOneLine() {
        Answer answer = Answer.to("record", "--", "meshguard-no-such-program");

        assertThat(answer.status()).isEqualTo(64);
        assertThat(answer.err())
                .startsWith("meshguard: Cannot run program \"meshguard-no-such-program\"")
                .hasLineCount(1);
    }

    // Diff

    @Test
    void runsThatUseMemoryAlikeAreStatusZero() {
        Answer answer = Answer.to("diff", clean, clean);

        assertThat(answer.out()).isEqualToNormalizingNewlines("SAME USAGE  both runs used memory alike\n");
        assertThat(answer.status()).isZero();
    }

    @Test
    void aRunThatIsNotWholeIsNamedAndMayDiffer() throws IOException {
        String whole = file("whole.json", "[{\"node_type\":\"capture_start\"},{\"node_type\":\"capture_end\"}]");
        String cut = file("cut.json", "[{\"node_type\":\"capture_start\"}");

        Answer answer = Answer.to("diff", whole, cut);

        assertThat(answer.out())
                .isEqualToNormalizingNewlines(
                        "INCONCLUSIVE  no difference in what can be compared\nnote    " + cut
                                + " is not whole: the capture cannot be read after node 0: the JSON breaks off or is damaged\n");
        assertThat(answer.status()).isEqualTo(2);
    }

    @Test
    void aRunThatLeavesMoreIsStatusOneAndOneThatLeavesLessFive() {
        Answer answer = Answer.to("diff", clean, leak);

        assertThat(answer.out())
                .startsWith("CHANGED  1 site of allocation changed, what leaves more first")
                .contains("live nothing -> 1 buffer of 8 KiB (8192 B)");
        assertThat(answer.status()).isEqualTo(1);
        assertThat(Answer.to("diff", leak, clean).status()).isEqualTo(5);
    }

    // Page, suite

    @Test
    void aRunBecomesAPage() throws IOException {
        Path page = folder.resolve("leak.html");

        assertThat(Answer.to("page", leak, "-o", page.toString())).isEqualTo(new Answer(0, page + "\n", ""));

        assertThat(Files.readString(page)).contains("\"title\":\"leak.log\",\"outcome\":\"LEAKED\"", "leak.log:3");
    }

    @Test
    void aPageHasTheNotesOfItsLog() throws IOException {
        String log = file(
                "rejected.log",
                ALLOCATED
                        + "Out of Memory: Not enough space to allocate 4096 B DRAM buffer across 12 banks, where each bank"
                        + " needs to store 352 B, but bank size is only 1024 B\n");
        Path page = folder.resolve("rejected.html");

        Answer.to("page", log, "-o", page.toString());

        assertThat(page).content().contains("The runtime rejected a request (line 2): ");
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

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }
}
