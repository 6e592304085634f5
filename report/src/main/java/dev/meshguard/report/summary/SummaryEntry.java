package dev.meshguard.report.summary;

import dev.meshguard.verdict.Cause;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Converts a summary to the pairs of a report entry, and back.
 *
 * <p>The extension publishes it, the listener of the launcher reads it. They may come from two class loaders, or two
 * versions, so they exchange only text.
 */
final class SummaryEntry {

    private static final String KEY = "meshguard.summary";
    private static final String VERSION = "1";
    private static final String TESTS = KEY + ".tests";
    private static final String CLASSES = KEY + ".classes";
    private static final String RUNS = KEY + ".runs";
    private static final String PROCESSES = KEY + ".processes";
    private static final String BUFFERS = KEY + ".buffers";
    private static final String FAILED = KEY + ".failed";
    private static final String WITHOUT_LEAK = KEY + ".failed.without-leak";
    private static final String ABORTED = KEY + ".aborted";
    private static final String KNOWN = KEY + ".known";
    private static final String PEAK = KEY + ".peak.";
    private static final String LEAKS = KEY + ".leaks.";
    private static final String KNOWN_LEAKS = KEY + ".known.leaks";
    private static final String MATCHED = KEY + ".expectations.matched";
    private static final String UNMATCHED = KEY + ".expectations.unmatched";
    private static final String SLOWEST = KEY + ".slowest-nanos";
    private static final String FAILURES = KEY + ".failures";
    private static final String MORE_FAILURES = KEY + ".failures.more";
    private static final String UNJUDGED = KEY + ".run.unjudged";
    private static final String OVERVIEW = KEY + ".page";
    private static final String REPRODUCE = KEY + ".reproduce";
    private static final String MORE = KEY + ".reproduce.more";

    private SummaryEntry() {}

    /** Returns the pairs. */
    static Map<String, String> of(RunSummary summary) {
        Map<String, String> pairs = new LinkedHashMap<>();
        pairs.put(KEY, VERSION);
        put(pairs, TESTS, summary.tests());
        put(pairs, CLASSES, summary.classes());
        put(pairs, RUNS, summary.runs());
        put(pairs, PROCESSES, summary.processes());
        put(pairs, BUFFERS, summary.buffers());
        put(pairs, FAILED, summary.failed());
        put(pairs, WITHOUT_LEAK, summary.withoutLeak());
        put(pairs, ABORTED, summary.aborted());
        put(pairs, KNOWN, summary.known());
        summary.peaks().forEach((memory, peak) -> pairs.put(PEAK + memory, text(peak)));
        summary.leaks().forEach((cause, count) -> pairs.put(LEAKS + cause, text(count)));
        pairs.put(KNOWN_LEAKS, text(summary.knownLeaks()));
        put(pairs, MATCHED, summary.matched());
        put(pairs, UNMATCHED, summary.unmatched());
        put(pairs, SLOWEST, summary.slowest().stream().map(SummaryEntry::text).toList());
        put(pairs, FAILURES, summary.failures());
        put(pairs, MORE_FAILURES, summary.moreFailures());
        put(pairs, REPRODUCE, summary.reproductions());
        put(pairs, MORE, summary.moreReproductions());
        put(pairs, UNJUDGED, summary.unjudged());
        summary.overview().ifPresent(page -> pairs.put(OVERVIEW, page));
        return pairs;
    }

    /** Returns the summary, if the pairs are one of this version. */
    static Optional<RunSummary> read(Map<String, String> pairs) {
        if (!VERSION.equals(pairs.get(KEY))) {
            return Optional.empty();
        }
        SortedMap<String, Amount> peaks = new TreeMap<>();
        pairs.forEach((key, text) -> {
            if (key.startsWith(PEAK)) {
                peaks.put(key.substring(PEAK.length()), amount(text));
            }
        });
        Map<Cause, LeakTotals> leaks = new EnumMap<>(Cause.class);
        for (Cause cause : Cause.values()) {
            Optional.ofNullable(pairs.get(LEAKS + cause)).ifPresent(text -> leaks.put(cause, count(text)));
        }
        return Optional.of(new RunSummary(
                number(pairs, TESTS),
                number(pairs, CLASSES),
                number(pairs, RUNS),
                number(pairs, PROCESSES),
                number(pairs, BUFFERS),
                number(pairs, FAILED),
                number(pairs, WITHOUT_LEAK),
                number(pairs, ABORTED),
                number(pairs, KNOWN),
                peaks,
                leaks,
                count(pairs.getOrDefault(KNOWN_LEAKS, text(LeakTotals.NOTHING))),
                lines(pairs, MATCHED),
                lines(pairs, UNMATCHED),
                lines(pairs, SLOWEST).stream().map(SummaryEntry::amount).collect(Collectors.toCollection(TreeSet::new)),
                lines(pairs, FAILURES),
                number(pairs, MORE_FAILURES),
                lines(pairs, REPRODUCE),
                number(pairs, MORE),
                lines(pairs, UNJUDGED),
                Optional.ofNullable(pairs.get(OVERVIEW))));
    }

    private static void put(Map<String, String> pairs, String key, long number) {
        pairs.put(key, Long.toString(number));
    }

    /** Values of entries must not be blank. */
    private static void put(Map<String, String> pairs, String key, Collection<String> lines) {
        if (!lines.isEmpty()) {
            pairs.put(key, String.join("\n", lines));
        }
    }

    private static long number(Map<String, String> pairs, String key) {
        return Long.parseLong(pairs.getOrDefault(key, "0"));
    }

    private static SortedSet<String> lines(Map<String, String> pairs, String key) {
        return pairs.getOrDefault(key, "")
                .lines()
                .filter(line -> !line.isBlank())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String text(Amount amount) {
        return amount.number() + " " + amount.name();
    }

    private static Amount amount(String text) {
        int end = text.indexOf(' ');
        return new Amount(Long.parseLong(text.substring(0, end)), text.substring(end + 1));
    }

    private static String text(LeakTotals count) {
        return count.leaks() + " " + count.buffers() + " " + count.bytes();
    }

    private static LeakTotals count(String text) {
        String[] numbers = text.split(" ", -1);
        return new LeakTotals(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
    }
}
