package dev.meshguard.report.page;

import dev.meshguard.report.VerdictReport;
import dev.meshguard.report.page.internal.PageContent;
import dev.meshguard.report.page.internal.PageResources;
import dev.meshguard.report.page.internal.PageTemplates;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The page of one run.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class RunPage {

    private final String title;
    private final VerdictReport report;

    private RunPage(String title, VerdictReport report) {
        this.title = title;
        this.report = report;
    }

    /** Returns the page of a run. */
    public static RunPage of(String title, VerdictReport report) {
        return new RunPage(title, report);
    }

    /** Returns the figures of the page. */
    public String data() {
        return "{\"format\":\"meshguard-page\",\"version\":1,\"minor\":0}";
    }

    /** Writes the page to a file, in the place of what is there. */
    public void write(Path file) throws IOException {
        try (BufferedWriter writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            write(writer);
        }
    }

    /** Writes the page; the writer is flushed and stays open. If it encodes, it has to encode as UTF-8. */
    public void write(Writer writer) throws IOException {
        PageTemplates.run(
                PageContent.of(title, report.text(), data(), PageResources.styles(), PageResources.runScripts()),
                writer);
        writer.flush();
    }
}
