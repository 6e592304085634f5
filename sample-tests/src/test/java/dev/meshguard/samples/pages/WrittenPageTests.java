package dev.meshguard.samples.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferType;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of {@code docs/formats.md}. */
class WrittenPageTests {

    @TempDir
    private Path folder;

    @Test
    void whatIsWrittenIsReadAndJudgedAlike() throws IOException {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.allocated(0, BufferType.DRAM, 0x1000, 2048);

        // region: write
        HistoryJson.write(tracker.history(), folder.resolve("history.jsonl"));
        AllocationHistory history = HistoryJson.read(folder.resolve("history.jsonl"));

        LeakVerdict verdict = LeakCheck.create().examine(history);
        VerdictJson.write(VerdictReport.of(verdict), folder.resolve("verdict.json"));
        // end region

        assertThat(VerdictReport.of(verdict).text())
                .isEqualTo(VerdictReport.of(LeakCheck.create().examine(tracker.history()))
                        .text());
        assertThat(folder.resolve("verdict.json")).content().contains("\"outcome\" : \"LEAKED\"");
    }
}
