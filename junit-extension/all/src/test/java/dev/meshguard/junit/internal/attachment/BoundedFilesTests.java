package dev.meshguard.junit.internal.attachment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.json.HistoryJson;
import dev.meshguard.report.json.VerdictJson;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.Outcome;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attached files never exceed their limit, remain readable when truncated, and the text names the missing part. */
class BoundedFilesTests {

    @TempDir
    private Path folder;

    @Test
    void whatFitsIsWhole() throws IOException {
        VerdictReport report = report();

        attach(report, FailureFiles.MAX_BYTES);

        assertThat(folder.resolve("failure.txt")).hasContent("LEAK of the test\n\n" + report.tables() + "\n");
        assertThat(folder.resolve("verdict.json")).hasContent(VerdictJson.text(report));
        assertThat(LeakCheck.create()
                        .examine(HistoryJson.read(folder.resolve("history.jsonl")))
                        .toString())
                .isEqualTo(report.verdict().toString());
    }

    @Test
    void aHistoryIsCutAfterAWholeLineAndItsReaderSaysSo() throws IOException {
        attach(report(), 1_024);

        Path history = folder.resolve("history.jsonl");
        assertThat(Files.size(history)).isBetween(512L, 1_024L);
        assertThat(Files.readString(history)).endsWith("}\n");
        assertThat(LeakCheck.create().examine(HistoryJson.read(history)).outcome())
                .isEqualTo(Outcome.INCONCLUSIVE);
    }

    @Test
    void theTextSaysWhatIsCutAndWhatIsLeftOut() throws IOException {
        attach(report(), 1_024);

        long lines;
        try (Stream<String> all = Files.lines(folder.resolve("history.jsonl"))) {
            lines = all.count();
        }
        assertThat(folder.resolve("verdict.json")).doesNotExist();
        assertThat(folder.resolve("failure.txt"))
                .hasContent("LEAK of the test\n\n" + report().tables() + "\n"
                        + "note    history.jsonl is cut after " + lines + " lines, because it is longer than"
                        + " 1 KiB (1024 B); the verdict is on all of it.\n"
                        + "note    verdict.json is omitted: it is longer than 1 KiB (1024 B).\n");
    }

    @Test
    void bytesAreCountedAsTheyAreWritten() throws IOException {
        StringBuilder written = new StringBuilder();
        String line = "é€😀\n";
        long bytes = line.getBytes(StandardCharsets.UTF_8).length;
        try (StringWriter target = new StringWriter()) {
            LinesWithin lines = new LinesWithin(target, 2 * bytes);
            lines.write(line);
            lines.write(line);
            assertThatThrownBy(() -> lines.write(line))
                    .isInstanceOf(LinesWithin.FullException.class)
                    .hasMessage("No more than 20 bytes");
            written.append(target);
        }

        assertThat(written).hasToString(line + line);
    }

    private void attach(VerdictReport report, long mostBytes) {
        new FailureFiles("", mostBytes)
                .attach(
                        (name, type, write) -> {
                            try {
                                write.accept(folder.resolve(name));
                            } catch (Throwable unexpected) {
                                throw new IllegalStateException(unexpected);
                            }
                        },
                        "LEAK of the test",
                        report);
    }

    private static VerdictReport report() {
        AllocationTracker tracker =
                AllocationTracker.builder().originCapture(OriginCapture.NONE).build();
        for (int device = 0; device < 20; device++) {
            tracker.allocated(
                    tracker.request(AllocationDetails.user().labelled("ключ " + device)),
                    device,
                    BufferType.DRAM,
                    4_096,
                    64,
                    Ownership.OWNING);
        }
        return VerdictReport.of(LeakCheck.create().examine(tracker.history()));
    }
}
