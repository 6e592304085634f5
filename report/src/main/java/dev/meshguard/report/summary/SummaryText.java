package dev.meshguard.report.summary;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import dev.meshguard.report.summary.RunSummary.Count;
import dev.meshguard.report.summary.RunSummary.Listed;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats the summary of a run as plain text, the same in every locale and on every terminal. */
final class SummaryText {

    /** The memories of devices; all others are those of libraries. */
    private static final Set<String> TYPES =
            Stream.of(BufferType.values()).map(BufferType::name).collect(Collectors.toUnmodifiableSet());

    private static final int MAX_EXPECTATIONS = 5;
    private static final int MAX_FAILURES = 10;
    private static final int LABEL = 18;

    private SummaryText() {}

    /** Returns the text, without a line break at the end. */
    static String of(RunSummary summary) {
        List<String> lines = new ArrayList<>();
        lines.add("MeshGuard  " + headline(summary));
        append(lines, "peak of a device", peaks(summary, TYPES::contains));
        append(lines, "peak", peaks(summary, memory -> !TYPES.contains(memory)));
        append(lines, "leaks", leaks(summary));
        append(lines, "known leaks", knownLeaks(summary));
        append(lines, "never matched", unmatched(summary));
        append(
                lines,
                "failures",
                first(
                        summary.names(Listed.FAILURES),
                        MAX_FAILURES,
                        summary.overview().map(page -> ", all on " + page).orElse(", all in the report of the tests")));
        append(lines, "rerun", first(summary.names(Listed.REPRODUCTIONS), MAX_FAILURES, ""));
        append(lines, "whole run", List.copyOf(summary.names(Listed.UNJUDGED)));
        return PrintableText.lines(lines);
    }

    /** Returns what was checked, and the results. */
    private static String headline(RunSummary summary) {
        List<String> parts = new ArrayList<>();
        parts.add(subjects(summary) + " tracked");
        parts.add(Quantities.count(summary.count(Count.BUFFERS), "buffer"));
        add(parts, summary.count(Count.FAILED), "1 failed", " failed");
        add(parts, summary.count(Count.ABORTED), "1 aborted with findings", " aborted with findings");
        add(parts, summary.count(Count.KNOWN), "1 with known leaks only", " with known leaks only");
        if (parts.size() == 2) {
            parts.add("all checks held");
        }
        return String.join(" · ", parts);
    }

    private static String subjects(RunSummary summary) {
        List<String> kinds = new ArrayList<>();
        add(kinds, summary.count(Count.TESTS), "1 test", " tests");
        add(kinds, summary.count(Count.CLASSES), "1 class", " classes");
        add(kinds, summary.count(Count.RUNS), "the run", " runs");
        add(kinds, summary.count(Count.PROCESSES), "1 process", " processes");
        String last = kinds.remove(kinds.size() - 1);
        return kinds.isEmpty() ? last : String.join(", ", kinds) + " and " + last;
    }

    private static void add(List<String> parts, long count, String one, String several) {
        if (count > 0) {
            parts.add(count == 1 ? one : count + several);
        }
    }

    private static List<String> peaks(RunSummary summary, Predicate<String> chosen) {
        return summary.peaks().entrySet().stream()
                .filter(peak -> chosen.test(peak.getKey()))
                .map(peak ->
                        peak.getKey() + " " + Quantities.size(peak.getValue().number()) + " in "
                                + peak.getValue().name())
                .toList();
    }

    private static List<String> leaks(RunSummary summary) {
        List<String> rows = new ArrayList<>();
        summary.leaks().forEach((cause, totals) -> rows.add(cause + "  " + description(totals)));
        long others = summary.count(Count.FAILED_WITHOUT_LEAK);
        if (others > 0) {
            rows.add(Quantities.count(others, "check")
                    + " failed for something else: budgets, overwritten buffers, wrong reports, doubts");
        }
        return rows;
    }

    private static List<String> knownLeaks(RunSummary summary) {
        return summary.knownLeaks().leaks() == 0 ? List.of() : List.of(description(summary.knownLeaks()));
    }

    private static String description(LeakTotals count) {
        return String.join(
                " · ",
                Quantities.count(count.leaks(), "leak"),
                Quantities.count(count.buffers(), "buffer"),
                Quantities.size(count.bytes()));
    }

    /**
     * The set of executed tests is unknown here: for one test from an IDE most entries of a file match nothing, which
     * is no error.
     */
    private static List<String> unmatched(RunSummary summary) {
        SortedSet<String> unmatched = summary.names(Listed.UNMATCHED);
        if (unmatched.isEmpty()) {
            return List.of();
        }
        int all = unmatched.size() + summary.names(Listed.MATCHED).size();
        List<String> rows = new ArrayList<>();
        rows.add(unmatched.size() + " of " + Quantities.count(all, "expectation") + ", in what was run");
        rows.addAll(first(unmatched, MAX_EXPECTATIONS, ""));
        return rows;
    }

    /** Returns the first names, and the number of the others with the place that lists all. */
    private static List<String> first(SortedSet<String> names, int most, String where) {
        List<String> rows = new ArrayList<>(names.stream().limit(most).toList());
        if (names.size() > most) {
            rows.add("… and " + (names.size() - most) + " more" + where);
        }
        return rows;
    }

    private static void append(List<String> lines, String label, List<String> rows) {
        String before = label;
        for (String row : rows) {
            lines.add("   " + before + " ".repeat(LABEL - before.length()) + row);
            before = "";
        }
    }
}
