package dev.meshguard.report.summary;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.PrintableText;
import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats the summary of a run as plain text, the same in every locale and on every terminal. */
final class SummaryText {

    /** The memories of devices; all others are those of libraries. */
    private static final Set<String> TYPES =
            Stream.of(BufferType.values()).map(BufferType::name).collect(Collectors.toUnmodifiableSet());

    private static final int MAX_EXPECTATIONS = 5;
    private static final int LABEL = 18;
    private static final double NANOS_OF_A_MILLISECOND = 1_000_000;

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
        append(lines, "slowest checks", slowest(summary));
        append(lines, "failures", failures(summary));
        append(lines, "rerun", reproductions(summary));
        append(lines, "whole run", List.copyOf(summary.unjudged()));
        return PrintableText.lines(lines);
    }

    /** Returns what was checked, and the results. */
    private static String headline(RunSummary summary) {
        List<String> parts = new ArrayList<>();
        parts.add(subjects(summary) + " tracked");
        parts.add(Quantities.count(summary.buffers(), "buffer"));
        if (summary.failed() > 0) {
            parts.add(summary.failed() + " failed");
        }
        if (summary.aborted() > 0) {
            parts.add(summary.aborted() + " aborted with findings");
        }
        if (summary.known() > 0) {
            parts.add(summary.known() + " with known leaks only");
        }
        if (parts.size() == 2) {
            parts.add("all checks held");
        }
        return String.join(" · ", parts);
    }

    private static String subjects(RunSummary summary) {
        List<String> kinds = new ArrayList<>();
        if (summary.tests() > 0) {
            kinds.add(Quantities.count(summary.tests(), "test"));
        }
        if (summary.classes() > 0) {
            kinds.add(summary.classes() + (summary.classes() == 1 ? " class" : " classes"));
        }
        if (summary.runs() > 0) {
            kinds.add(summary.runs() == 1 ? "the run" : summary.runs() + " runs");
        }
        if (summary.processes() > 0) {
            kinds.add(summary.processes() + (summary.processes() == 1 ? " process" : " processes"));
        }
        String last = kinds.remove(kinds.size() - 1);
        return kinds.isEmpty() ? last : String.join(", ", kinds) + " and " + last;
    }

    private static List<String> peaks(RunSummary summary, Predicate<String> chosen) {
        return summary.peaks().entrySet().stream()
                .filter(peak -> chosen.test(peak.getKey()))
                .map(peak -> String.format(
                        Locale.ROOT,
                        "%s %s in %s",
                        peak.getKey(),
                        Quantities.size(peak.getValue().number()),
                        peak.getValue().name()))
                .toList();
    }

    private static List<String> leaks(RunSummary summary) {
        List<String> rows = new ArrayList<>();
        for (Map.Entry<?, LeakTotals> cause : summary.leaks().entrySet()) {
            rows.add(cause.getKey() + "  " + description(cause.getValue()));
        }
        if (summary.withoutLeak() > 0) {
            rows.add(Quantities.count(summary.withoutLeak(), "check")
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
        SortedSet<String> unmatched = summary.unmatched();
        if (unmatched.isEmpty()) {
            return List.of();
        }
        List<String> rows = new ArrayList<>();
        rows.add(String.format(
                Locale.ROOT,
                "%d of %s, in what was run",
                unmatched.size(),
                Quantities.count(unmatched.size() + summary.matched().size(), "expectation")));
        rows.addAll(cut(MAX_EXPECTATIONS, unmatched, Function.identity(), 0));
        return rows;
    }

    private static List<String> slowest(RunSummary summary) {
        return summary.slowest().stream()
                .map(check ->
                        String.format(Locale.ROOT, "%.1f ms %s", check.number() / NANOS_OF_A_MILLISECOND, check.name()))
                .toList();
    }

    private static List<String> failures(RunSummary summary) {
        List<String> rows = new ArrayList<>(summary.failures());
        if (summary.moreFailures() > 0) {
            rows.add("… and " + summary.moreFailures() + " more, "
                    + summary.overview().map(page -> "all on " + page).orElse("all in the report of the tests"));
        }
        return rows;
    }

    private static List<String> reproductions(RunSummary summary) {
        return cut(
                RunSummary.MAX_REPRODUCTIONS,
                summary.reproductions(),
                Function.identity(),
                summary.moreReproductions());
    }

    private static <T> List<String> cut(int most, Collection<T> all, Function<T, String> words, long cutBefore) {
        List<String> rows = new ArrayList<>(all.stream().limit(most).map(words).toList());
        long more = cutBefore + all.size() - rows.size();
        if (more > 0) {
            rows.add("… and " + more + " more");
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
