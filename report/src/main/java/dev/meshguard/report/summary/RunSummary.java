package dev.meshguard.report.summary;

import dev.meshguard.event.BufferType;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The numbers of a run, and their text at its end.
 *
 * <p>A view of the maps and sets that it is given: read it before they change.
 *
 * @param counts the number of checks of each kind and result; a missing one is 0
 * @param peaks the maximum bytes that were allocated at once: of one device by the name of the type, of memory that belongs to no
 *     device by the name of the memory
 * @param leaks the survivors that leaked, by cause
 * @param knownLeaks the leaks that are in the baseline
 * @param matched the number of entries of files that matched
 * @param unmatched the entries of files that matched nothing
 * @param failures the failed checks with their first lines and pages, where the build tool hides messages
 * @param reproductions the commands that rerun the failed checks
 * @param wholeRun what the end of the run judged, or leaves to others to judge, if anything; one or several lines
 * @param notes whole sentences about what the checks do not show
 * @param overview the page of all tests, if it was written
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RunSummary(
        SortedMap<Count, Long> counts,
        SortedMap<String, Amount> peaks,
        SortedMap<Cause, LeakTotals> leaks,
        LeakTotals knownLeaks,
        int matched,
        SortedSet<String> unmatched,
        SortedSet<String> failures,
        SortedSet<String> reproductions,
        Optional<String> wholeRun,
        SortedSet<String> notes,
        Optional<String> overview) {

    /** The memories of devices; all others are those of libraries. */
    private static final Set<String> TYPES =
            Stream.of(BufferType.values()).map(BufferType::name).collect(Collectors.toUnmodifiableSet());

    private static final int MAX_EXPECTATIONS = 5;
    private static final int MAX_FAILURES = 10;
    private static final int LABEL = 18;

    /** The numbers of a summary. */
    public enum Count {
        /** Checked tests. */
        TESTS,
        /** Checked classes whose tests share a tracker. */
        CLASSES,
        /** Checks of what threads allocated that work for no test. */
        RUNS,
        /** Checked programs that tests started. */
        PROCESSES,
        /** Buffers that were ever allocated. */
        BUFFERS,
        /** Completed tests of which no source saw an allocation. */
        UNSEEN,
        /** Failed checks. */
        FAILED,
        /** Failed checks without a leak. */
        FAILED_WITHOUT_LEAK,
        /** Checks that did not hold for an aborted test. */
        ABORTED,
        /** Checks that did not hold only because of known leaks. */
        KNOWN,
        /** Buffers of tests that are not tracked, which nothing checks. */
        UNTRACKED_BUFFERS,
        /** Runs whose launcher does not say which tests run that are not tracked. */
        WITHOUT_LISTENER
    }

    /** Returns whether there is anything to print: a number, a judgement of the run, or a note. */
    public boolean hasContent() {
        return counts.values().stream().anyMatch(number -> number > 0) || wholeRun.isPresent() || !notes.isEmpty();
    }

    private boolean hasChecks() {
        return count(Count.TESTS) + count(Count.CLASSES) + count(Count.RUNS) + count(Count.PROCESSES) > 0;
    }

    /** Returns whether any check did not hold, excluding known leaks. */
    public boolean hasFailures() {
        return count(Count.FAILED) + count(Count.ABORTED) > 0;
    }

    /** Returns the lines for the end of a run, without a line break at the end: the same in every locale and on every terminal. */
    public String text() {
        List<String> lines = new ArrayList<>();
        lines.add("MeshGuard  " + headline());
        append(lines, "peak of a device", peaks(TYPES::contains));
        append(lines, "peak", peaks(memory -> !TYPES.contains(memory)));
        append(lines, "leaks", leakRows());
        append(lines, "known leaks", knownLeaks.leaks() == 0 ? List.of() : List.of(description(knownLeaks)));
        append(lines, "not tracked", untrackedRows());
        append(lines, "never matched", unmatchedRows());
        append(
                lines,
                "failures",
                first(
                        failures,
                        MAX_FAILURES,
                        overview.map(page -> ", all on " + page).orElse(", all in the report of the tests")));
        append(lines, "rerun", first(reproductions, MAX_FAILURES, ""));
        append(lines, "whole run", wholeRun.stream().flatMap(String::lines).toList());
        append(lines, "nothing seen", unseenRows());
        append(lines, "note", List.copyOf(notes));
        return PrintableText.lines(lines);
    }

    /** Returns what was checked, and the results. */
    private String headline() {
        List<String> parts = new ArrayList<>();
        parts.add(subjects() + " tracked");
        parts.add(Quantities.count(count(Count.BUFFERS), "buffer"));
        add(parts, count(Count.FAILED), "1 failed", " failed");
        add(parts, count(Count.ABORTED), "1 aborted with findings", " aborted with findings");
        add(parts, count(Count.KNOWN), "1 with known leaks only", " with known leaks only");
        if (parts.size() == 2 && hasChecks()) {
            parts.add("all checks held");
        }
        return String.join(" · ", parts);
    }

    private String subjects() {
        List<String> kinds = new ArrayList<>();
        add(kinds, count(Count.TESTS), "1 test", " tests");
        add(kinds, count(Count.CLASSES), "1 class", " classes");
        add(kinds, count(Count.RUNS), "threads of no test", " checks of threads of no test");
        add(kinds, count(Count.PROCESSES), "1 process", " processes");
        if (kinds.isEmpty()) {
            return "0 tests";
        }
        String last = kinds.remove(kinds.size() - 1);
        return kinds.isEmpty() ? last : String.join(", ", kinds) + " and " + last;
    }

    private static void add(List<String> parts, long count, String one, String several) {
        if (count > 0) {
            parts.add(count == 1 ? one : count + several);
        }
    }

    private List<String> unseenRows() {
        long unseen = count(Count.UNSEEN);
        return unseen == 0 ? List.of() : List.of(Quantities.count(unseen, "test") + " allocated nothing that was seen");
    }

    private List<String> peaks(Predicate<String> chosen) {
        return peaks.entrySet().stream()
                .filter(peak -> chosen.test(peak.getKey()))
                .map(peak ->
                        peak.getKey() + " " + Quantities.size(peak.getValue().number()) + " in "
                                + peak.getValue().name())
                .toList();
    }

    private List<String> leakRows() {
        List<String> rows = new ArrayList<>();
        leaks.forEach((cause, totals) -> rows.add(cause + "  " + description(totals)));
        long others = count(Count.FAILED_WITHOUT_LEAK);
        if (others > 0) {
            rows.add(
                    Quantities.count(others, "check")
                            + " failed for something else: budgets, growth, missing or overwritten buffers, wrong reports, doubts");
        }
        return rows;
    }

    private List<String> untrackedRows() {
        List<String> rows = new ArrayList<>();
        long buffers = count(Count.UNTRACKED_BUFFERS);
        if (buffers > 0) {
            rows.add(Quantities.count(buffers, "buffer") + (buffers == 1 ? " was" : " were")
                    + " allocated by tests without @TrackAllocations");
        }
        if (count(Count.WITHOUT_LISTENER) > 0) {
            rows.add("the launcher called no listener: tests without @TrackAllocations were recognized by stacks only");
        }
        return rows;
    }

    /** The size of objects is unknown. */
    private static String description(LeakTotals count) {
        String buffers = Quantities.count(count.leaks(), "leak") + " · " + Quantities.count(count.buffers(), "buffer");
        return count.bytes() == 0 ? buffers : buffers + " · " + Quantities.size(count.bytes());
    }

    /**
     * The set of executed tests is unknown here: for one test from an IDE most entries of a file match nothing, which
     * is no error.
     */
    private List<String> unmatchedRows() {
        if (unmatched.isEmpty()) {
            return List.of();
        }
        int all = unmatched.size() + matched;
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

    /** Returns a number. */
    private long count(Count what) {
        return counts.getOrDefault(what, 0L);
    }
}
