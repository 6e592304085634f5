package dev.meshguard.report.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.BufferTimeline;
import dev.meshguard.report.Caveat;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the examples of {@code docs/formats.md} with the written files. */
class FormatsPageTests {

    private static final Path PAGE = Path.of("..", "docs", "formats.md");
    private static final Path VERDICT = PAGE.resolveSibling("examples/verdict.json");

    @Test
    void showsAHistoryAsItIsWritten() throws IOException {
        StringWriter written = new StringWriter();
        HistoryJson.write(history(), written);

        assertThat(example("jsonl")).isEqualTo(written.toString());
    }

    @Test
    void showsAVerdictAsItIsWritten() throws IOException {
        AllocationHistory read = HistoryJson.read(new StringReader(example("jsonl")), PAGE.toString());
        VerdictReport report = VerdictReport.of(LeakCheck.create().examine(read));

        assertThat(Files.readString(VERDICT))
                .isEqualTo(VerdictJson.text(report.reproducedBy("mvn test -Dtest=KvCacheTest#decode")));
    }

    @Test
    void showsATimelineAsItIsPrinted() throws IOException {
        AllocationHistory history = history();

        assertThat(example(""))
                .isEqualTo(BufferTimeline.of(history, history.live().get(0)).text() + "\n");
    }

    @Test
    void namesEveryCaveat() throws IOException {
        List<String> named = Files.readString(PAGE)
                .lines()
                .dropWhile(line -> !line.startsWith("| caveat |"))
                .takeWhile(line -> line.startsWith("|"))
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .toList();

        assertThat(named)
                .containsExactlyElementsOf(Stream.<Enum<?>>concat(
                                Stream.of(InconclusiveReason.Kind.values()), Stream.of(Caveat.Kind.values()))
                        .map(Enum::name)
                        .toList());
    }

    private static String example(String language) throws IOException {
        String page = Files.readString(PAGE);
        String fence = " -->\n```" + language + "\n";
        int begin = page.indexOf(fence) + fence.length();
        return page.substring(begin, page.indexOf("```", begin));
    }

    private static AllocationHistory history() {
        var tracker = AllocationTracker.builder()
                .originCapture(OriginCapture.NONE)
                .clock(() -> Instant.parse("2026-03-01T10:15:30Z"))
                .build();
        var frame = new StackTraceElement("dev.example.KvCacheTest", "decode", "KvCacheTest.java", 41);
        var cache = MemoryRequest.restored(
                AllocationDetails.user().labelled("kv-cache"), Optional.of(new Origin(List.of(frame))));
        var release = MemoryRequest.of(AllocationDetails.user());
        tracker.meshOpened(MeshDescription.of(0, "1x2 mesh", List.of(0, 1)));
        tracker.phase(Phase.TEST);
        for (int device = 0; device < 2; device++) {
            tracker.allocated(cache, device, BufferType.DRAM, 0x3ffff800, 2048, Ownership.OWNING);
        }
        tracker.freed(release, 0, BufferType.DRAM, 0x3ffff800, Ownership.OWNING);
        tracker.freed(release, 0, BufferType.DRAM, 0x3ffff800, Ownership.OWNING);
        tracker.meshClosing(0);
        tracker.witnessed(WitnessSnapshot.of(0, Moment.CLOSE_BEGUN)
                .region(0, BufferType.DRAM)
                .region(1, BufferType.DRAM, 0x3ffff800));
        tracker.meshClosed(0);
        tracker.checked();
        return tracker.history();
    }
}
