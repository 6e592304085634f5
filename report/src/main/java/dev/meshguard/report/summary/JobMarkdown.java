package dev.meshguard.report.summary;

import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Formats the report of a run as Markdown with tables, as GitHub renders it. */
final class JobMarkdown {

    /** GitHub shows at most 1 MiB for a step, and several JVMs share it. */
    private static final int MAX_FINDINGS = 20;

    private JobMarkdown() {}

    static String of(JobReport report) {
        List<String> lines = new ArrayList<>();
        lines.add("## MeshGuard: " + headline(report));
        lines.add("");
        lines.add(SummaryText.headline(report.numbers()));
        addFindings(lines, report.findings());
        addOthers(lines, report.numbers());
        addReproductions(lines, report.numbers());
        report.pages().ifPresent(folder -> {
            lines.add("");
            lines.add("Pages: " + code(folder));
        });
        return String.join("\n", lines) + "\n";
    }

    private static String headline(JobReport report) {
        RunSummary numbers = report.numbers();
        if (!numbers.hasFailures()) {
            return "all checks held";
        }
        return report.outcome().compareTo(Outcome.EXPECTED_ONLY) > 0
                ? report.outcome().name()
                : Quantities.count(numbers.failed() + numbers.aborted(), "check") + " did not hold";
    }

    private static void addFindings(List<String> lines, List<FindingTotals> findings) {
        if (findings.isEmpty()) {
            return;
        }
        boolean isCompared =
                findings.stream().anyMatch(finding -> finding.key().baseline().isPresent());
        lines.add("");
        lines.add("| cause | allocated in | buffers | bytes | found by | page |" + (isCompared ? " baseline |" : ""));
        lines.add("| --- | --- | ---: | ---: | --- | --- |" + (isCompared ? " --- |" : ""));
        findings.stream()
                .limit(MAX_FINDINGS)
                .map(finding -> row(finding, isCompared))
                .forEach(lines::add);
        if (findings.size() > MAX_FINDINGS) {
            lines.add("");
            lines.add("… and " + (findings.size() - MAX_FINDINGS) + " more");
        }
    }

    private static String row(FindingTotals finding, boolean isCompared) {
        FindingTotals.Key key = finding.key();
        boolean hasLeaked = key.status().equals(SurvivorStatus.LEAKED.description());
        String status = hasLeaked ? "" : ", " + key.status();
        return "| " + key.cause() + status
                + " | " + key.site().map(JobMarkdown::code).orElse("")
                + " | " + finding.totals().buffers() + " " + types(finding)
                + " | " + Quantities.size(finding.totals().bytes())
                + " | " + checks(finding)
                + " | " + page(finding).map(JobMarkdown::code).orElse("")
                + " |" + (isCompared ? " " + key.baseline().orElse("") + " |" : "");
    }

    static String types(FindingTotals finding) {
        return finding.types().stream().map(Enum::name).collect(Collectors.joining(", "));
    }

    private static String checks(FindingTotals finding) {
        int more = finding.checks().size() - 1;
        return code(finding.checks().firstKey()) + (more == 0 ? "" : " and " + more + " more");
    }

    private static Optional<String> page(FindingTotals finding) {
        return finding.checks().values().stream().flatMap(Optional::stream).findFirst();
    }

    private static void addOthers(List<String> lines, RunSummary numbers) {
        if (numbers.withoutLeak() > 0) {
            lines.add("");
            lines.add(SummaryText.withoutLeak(numbers));
        }
        if (!numbers.unmatched().isEmpty()) {
            lines.add("");
            lines.add(Quantities.count(numbers.unmatched().size(), "expectation") + " never matched in what was run");
        }
    }

    private static void addReproductions(List<String> lines, RunSummary numbers) {
        if (numbers.reproductions().isEmpty()) {
            return;
        }
        lines.add("");
        lines.add("```sh");
        numbers.reproductions().stream().map(PrintableText::line).forEach(lines::add);
        lines.add("```");
        if (numbers.moreReproductions() > 0) {
            lines.add("… and " + numbers.moreReproductions() + " more");
        }
    }

    private static String code(StackTraceElement site) {
        String type = site.getClassName();
        String frame = site.toString().substring(type.lastIndexOf('.') + 1);
        return code(frame);
    }

    /** Formats a text as code in a cell of a table: a backtick ends the code, a bar ends the cell. */
    private static String code(String text) {
        return "`" + PrintableText.line(text).replace('`', '\'').replace("|", "\\|") + "`";
    }
}
