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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
