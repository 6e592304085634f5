package dev.meshguard.junit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.meshguard.junit.internal.summary.CheckResult;
import dev.meshguard.junit.internal.summary.CheckSubject;
import dev.meshguard.junit.internal.summary.RunSummaryCollector;
import dev.meshguard.junit.internal.summary.RunningCheck;
import dev.meshguard.junit.internal.summary.SummaryMode;
import dev.meshguard.report.summary.JobReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** The report of a run is appended to the page of a job. It runs alone, because there is one logger. */
@Isolated
class GitHubJobTests {

    @TempDir
    private Path folder;

    @Test
    void appendsWhatEachRunReports() throws IOException {
        Path page = folder.resolve("summary.md");
        GitHubJob job = job(page.toString());

        assertThat(job.write(report())).isEmpty();
        assertThat(job.write(report())).isEmpty();

        assertThat(Files.readString(page)).isEqualTo(report().markdown() + report().markdown());
    }

    @Test
    void aFileThatCannotBeWrittenIsAWarning() {
        Logger logger = (Logger) LoggerFactory.getLogger(GitHubJob.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        Optional<String> problem;
        try {
            problem = job(folder.toString()).write(report());
        } finally {
            logger.detachAppender(lines);
            logger.setAdditive(true);
            logger.setLevel(null);
        }

        assertThat(problem)
                .hasValueSatisfying(text -> assertThat(text)
                        .startsWith("The summary could not be appended to the file of GITHUB_STEP_SUMMARY: ")
                        .contains(folder.toString()));
        assertThat(lines.list)
                .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
                .containsExactly("WARN " + problem.orElseThrow());
    }

    @Test
    void withoutTheVariableNothingIsWritten() {
        GitHubJob job = GitHubJob.of(settings(), Map.of("GITHUB_STEP_SUMMARY", " "));

        assertThat(job.write(report())).isEmpty();
    }

    private static GitHubJob job(String page) {
        return GitHubJob.of(settings(), Map.of("GITHUB_STEP_SUMMARY", page));
    }

    private static ReportSettings settings() {
        return new ReportSettings(SummaryMode.OFF, false, TextLength.SHORT, SummaryMode.ALWAYS, false);
    }

    private static JobReport report() {
        RunSummaryCollector numbers = RunSummaryCollector.ofJob(SummaryMode.OFF, () -> 0);
        try (RunningCheck check =
                numbers.checkOfMesh(new CheckSubject(CheckSubject.Kind.TEST, "A#holds", "mvn test -Dtest=A#holds"))) {
            check.became(CheckResult.HELD);
        }
        return numbers.jobReport(List.of(), List.of(), Optional.empty()).orElseThrow();
    }
}
