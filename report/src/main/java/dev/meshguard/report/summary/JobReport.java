package dev.meshguard.report.summary;

import dev.meshguard.verdict.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A run as the job of a CI shows it: outcome, findings by cause and line, and where the pages are.
 *
 * <p>Immutable.
 *
 * @param numbers the numbers of the run, as the terminal shows them
 * @param outcome the worst outcome of the checks that did not hold
 * @param findings the findings of all checks, most bytes first
 * @param pages the folder of the pages, if any were written
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record JobReport(RunSummary numbers, Outcome outcome, List<FindingTotals> findings, Optional<String> pages) {

    /** The number of annotations that GitHub shows for one step. */
    public static final int MAX_ANNOTATIONS = 10;

    /** Creates a report with its own copy of the findings, sorted. */
    public JobReport {
        findings = findings.stream().sorted().toList();
    }

    /** Returns the report in GitHub's Markdown, with a line break at the end. */
    public String markdown() {
        return JobMarkdown.of(this);
    }

    /**
     * Returns the commands of GitHub's workflows that annotate the lines of the findings that are not known, at most
     * {@value #MAX_ANNOTATIONS}.
     *
     * @param files returns the path of the source file of a line, if it is known
     */
    public List<String> annotations(Function<StackTraceElement, Optional<String>> files) {
        return JobAnnotations.of(this, files);
    }
}
