package dev.meshguard.report.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.BufferTimeline;
import dev.meshguard.report.Caveat;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        VerdictReport report = VerdictReport.of(LeakCheck.create().examine(history()));

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

    /** Returns the history that the page shows. */
    private static AllocationHistory history() throws IOException {
        return HistoryJson.read(new StringReader(example("jsonl")), PAGE.toString());
    }
}
