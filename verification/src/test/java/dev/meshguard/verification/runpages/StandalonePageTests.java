package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a page is one file with all its contents, and readable without JavaScript. */
class StandalonePageTests {

    private static final long MAX_BYTES = 350_000;

    @Test
    void aThousandEventsAreASmallFile() throws IOException {
        SampleRun run = SampleRuns.clean();

        assertThat(run.verdict().history().events()).hasSizeGreaterThan(1_000);
        assertThat(Files.size(run.file())).isLessThan(MAX_BYTES);
        assertThat(Files.size(SampleRuns.leak().file())).isLessThan(MAX_BYTES);
    }

    @Test
    void isOneFile(@TempDir Path folder) throws IOException {
        LeakVerdict verdict = SampleRuns.leak().verdict();
        Path file = folder.resolve("decode.html");

        // region: page
        RunPage.of("KvCacheTest.decode()", VerdictReport.of(verdict)).write(file);
        // end region

        assertThat(folder).isDirectoryContaining(file::equals);
        String page = Files.readString(file).replaceAll("(?s)<script.*?</script>", "");
        assertThat(page).contains("<noscript><pre>LEAK  ").doesNotContain("url(", "@import", "<link");
        assertThat(page).doesNotContainPattern("<[a-z]+ [^>]*\\s(src=|href=\"http)");
    }
}
