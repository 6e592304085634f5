package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.internal.ReportSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page on reports shows the printed text; its example is the text that {@link SummaryTests} expects. */
class ReportsPageTests {

    private static final Path PAGE = Path.of("..", "..", "docs", "reports.md");

    @Test
    void theExampleIsWhatIsPrinted() throws IOException {
        assertThat(Files.readString(PAGE)).contains("```\n" + SummaryTests.LEAKS + "\n```");
    }

    @Test
    void itsParameterIsExplained() throws IOException {
        assertThat(Files.readString(PAGE)).contains(ReportSettings.SUMMARY);
    }
}
