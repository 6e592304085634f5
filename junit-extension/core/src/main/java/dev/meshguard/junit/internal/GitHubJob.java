package dev.meshguard.junit.internal;

import dev.meshguard.junit.internal.summary.SummaryMode;
import dev.meshguard.report.summary.JobReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * The job of GitHub Actions, or of a CI with its variables, that runs the tests.
 *
 * @param summary when the report is appended to the page of the job
 * @param page the file of that page, if the variable names one
 * @param annotates whether findings are printed as annotations
 * @param sources finds the files of the annotated lines
 */
record GitHubJob(SummaryMode summary, Optional<String> page, boolean annotates, SourceFiles sources) {

    private static final String PAGE = "GITHUB_STEP_SUMMARY";
    private static final String WORKSPACE = "GITHUB_WORKSPACE";

    static GitHubJob of(ReportSettings settings, Map<String, String> environment) {
        return new GitHubJob(
                settings.githubSummary(),
                Optional.ofNullable(environment.get(PAGE)).filter(file -> !file.isBlank()),
                settings.githubAnnotations(),
                SourceFiles.of(Path.of(""), Optional.ofNullable(environment.get(WORKSPACE))));
    }

    /** Returns whether a report is written anywhere. */
    boolean isReported() {
        return annotates || (page.isPresent() && summary != SummaryMode.OFF);
    }

    /** Writes the report where it is configured; returns an error as a whole sentence. */
    Optional<String> write(JobReport report) {
        if (annotates) {
            print(report.annotations(sources::pathOf));
        }
        return page.filter(file -> summary.wants(report.numbers())).flatMap(file -> append(file, report.markdown()));
    }

    /** The commands begin a line, whatever a test has printed before. */
    private static void print(List<String> commands) {
        if (!commands.isEmpty()) {
            System.out.println(String.format(Locale.ROOT, "%n%s", String.join(System.lineSeparator(), commands)));
        }
    }

    /** One write at the end of the file, so that reports of several JVMs are not mixed. */
    private static Optional<String> append(String file, String markdown) {
        ByteBuffer bytes = ByteBuffer.wrap(markdown.getBytes(StandardCharsets.UTF_8));
        try (FileChannel channel =
                FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            return Optional.empty();
        } catch (IOException | InvalidPathException notWritten) {
            String problem = String.format(
                    Locale.ROOT, "The summary could not be appended to the file of %s: %s", PAGE, notWritten);
            LoggerFactory.getLogger(GitHubJob.class).warn("{}", problem);
            return Optional.of(problem);
        }
    }
}
