package dev.meshguard.verification.runpages;

import dev.meshguard.page.RunPage;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.verdict.LeakVerdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A run with a page: tests compare the page with the verdict and its report. */
record SampleRun(LeakVerdict verdict, VerdictReport report, RunPage page) {

    static SampleRun of(String title, LeakVerdict verdict) {
        VerdictReport report = VerdictReport.of(verdict);
        return new SampleRun(verdict, report, RunPage.of(title, report));
    }

    Path writtenTo(Path folder) {
        Path file = folder.resolve("run.html");
        try {
            page.write(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file;
    }
}
