package dev.meshguard.report.summary;

import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.baseline.BaselineComparison;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Formats findings as commands of GitHub's workflows, which annotate lines of code.
 *
 * <p>Source: "Workflow commands for GitHub Actions", and {@code packages/core/src/command.ts} of actions/toolkit for the
 * escapes.
 */
final class JobAnnotations {

    private JobAnnotations() {}

    static List<String> of(JobReport report, Function<StackTraceElement, Optional<String>> files) {
        return report.findings().stream()
                .filter(finding -> !finding.key().baseline().equals(Optional.of(BaselineComparison.KNOWN)))
                .limit(JobReport.MAX_ANNOTATIONS)
                .map(finding -> command(finding, files))
                .toList();
    }

    private static String command(FindingTotals finding, Function<StackTraceElement, Optional<String>> files) {
        FindingTotals.Key key = finding.key();
        String location = key.site()
                .flatMap(site -> files.apply(site).map(file -> location(file, site.getLineNumber())))
                .orElse("");
        String title = "MeshGuard: " + Quantities.shortSize(finding.totals().bytes()) + " "
                + key.status().description();
        return "::error " + location + "title=" + property(title) + "::" + data(message(finding));
    }

    private static String location(String file, int line) {
        return "file=" + property(file) + "," + (line > 0 ? "line=" + line + "," : "");
    }

    private static String message(FindingTotals finding) {
        FindingTotals.Key key = finding.key();
        int more = finding.checks().size() - 1;
        return Quantities.count(finding.totals().buffers(), JobMarkdown.types(finding) + " buffer")
                + " " + key.cause()
                + key.baseline().map(text -> ", " + text).orElse("")
                + key.site().map(site -> "; allocated in " + site).orElse("")
                + "; found by " + finding.checks().firstKey() + (more == 0 ? "" : " and " + more + " more");
    }

    private static String data(String text) {
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A");
    }

    private static String property(String text) {
        return data(text).replace(":", "%3A").replace(",", "%2C");
    }
}
