package dev.meshguard.report.summary;

import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.baseline.BaselineComparison;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Formats findings as commands of GitHub's workflows, which annotate lines of code.
 *
 * <p>Source: "Workflow commands for GitHub Actions", and {@code packages/core/src/command.ts} of actions/toolkit for the
 * escapes.
 */
final class JobAnnotations {

    private static final Comparator<Map.Entry<StackTraceElement, LeakTotals>> LARGEST_FIRST = Comparator.comparing(
                    (Map.Entry<StackTraceElement, LeakTotals> line) ->
                            line.getValue().bytes())
            .reversed()
            .thenComparing(line -> line.getKey().toString());

    private JobAnnotations() {}

    static List<String> of(JobReport report, Function<StackTraceElement, Optional<String>> files) {
        return report.findings().stream()
                .filter(finding -> !finding.key().baseline().equals(Optional.of(BaselineComparison.KNOWN)))
                .flatMap(finding -> commands(finding, files))
                .limit(JobReport.MAX_ANNOTATIONS)
                .toList();
    }

    /** Each line at which a reader begins has a command of its own, the one with the most bytes first. */
    private static Stream<String> commands(FindingTotals finding, Function<StackTraceElement, Optional<String>> files) {
        return finding.lines().isEmpty()
                ? Stream.of(command(finding, "", finding.totals(), ""))
                : finding.lines().entrySet().stream()
                        .sorted(LARGEST_FIRST)
                        .map(line -> command(
                                finding,
                                files.apply(line.getKey())
                                        .map(file ->
                                                location(file, line.getKey().getLineNumber()))
                                        .orElse(""),
                                line.getValue(),
                                where(finding.key(), line.getKey())));
    }

    private static String where(FindingTotals.Key key, StackTraceElement line) {
        return key.site()
                .filter(site -> !site.equals(line))
                .map(site -> "; allocated in " + site + ", called from " + line)
                .orElse("; allocated in " + line);
    }

    private static String command(FindingTotals finding, String location, LeakTotals totals, String where) {
        FindingTotals.Key key = finding.key();
        int more = finding.checks().size() - 1;
        String title = "MeshGuard: " + Quantities.shortSize(totals.bytes()) + " " + key.status();
        String message = Quantities.count(totals.buffers(), JobMarkdown.types(finding) + " buffer")
                + " " + key.cause()
                + key.baseline().map(text -> ", " + text).orElse("")
                + where
                + "; found by " + finding.checks().firstKey() + (more == 0 ? "" : " and " + more + " more");
        return "::error " + location + "title=" + property(title) + "::" + data(message);
    }

    private static String location(String file, int line) {
        return "file=" + property(file) + "," + (line > 0 ? "line=" + line + "," : "");
    }

    private static String data(String text) {
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A");
    }

    private static String property(String text) {
        return data(text).replace(":", "%3A").replace(",", "%2C");
    }
}
