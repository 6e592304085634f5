package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.junit.internal.ConfigurationKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Pages show the printed text; their examples are the texts that {@link SummaryTests} expects. */
class ReportsPageTests {

    private static final Path PAGE = Path.of("..", "..", "docs", "reports.md");

    @Test
    void theExampleIsWhatIsPrinted() throws IOException {
        assertThat(Files.readString(PAGE)).contains("```\n" + SummaryTests.LEAKS + "\n```");
    }

    @Test
    void theLineOfARunThatIsNotJudgedYetIsWhatIsPrinted() throws IOException {
        assertThat(Files.readString(PAGE.resolveSibling("baseline.md")))
                .contains("```\n" + SummaryTests.UNJUDGED + "\n```");
    }

    @Test
    void itsParameterIsExplained() throws IOException {
        assertThat(Files.readString(PAGE)).contains(ConfigurationKey.SUMMARY.key());
    }
}
