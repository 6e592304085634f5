package dev.meshguard.report.summary;

import dev.meshguard.report.summary.RunSummary.Count;
import dev.meshguard.report.summary.RunSummary.Listed;
import dev.meshguard.verdict.Cause;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
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
    private static final String PEAK = KEY + ".peak.";
    private static final String LEAKS = KEY + ".leaks.";
    private static final String KNOWN_LEAKS = KEY + ".known.leaks";
    private static final String SLOWEST = KEY + ".slowest-nanos";
    private static final String OVERVIEW = KEY + ".page";

    private SummaryEntry() {}

    /** Returns the pairs. */
    static Map<String, String> of(RunSummary summary) {
        Map<String, String> pairs = new LinkedHashMap<>();
        pairs.put(KEY, VERSION);
        summary.counts().forEach((count, number) -> pairs.put(key(count), number.toString()));
        summary.lists().forEach((list, names) -> put(pairs, key(list), names));
        summary.omitted().forEach((list, number) -> pairs.put(keyOfOmitted(list), number.toString()));
        summary.peaks().forEach((memory, peak) -> pairs.put(PEAK + memory, text(peak)));
        summary.leaks().forEach((cause, totals) -> pairs.put(LEAKS + cause, text(totals)));
        pairs.put(KNOWN_LEAKS, text(summary.knownLeaks()));
        put(pairs, SLOWEST, summary.slowest().stream().map(SummaryEntry::text).toList());
        summary.overview().ifPresent(page -> pairs.put(OVERVIEW, page));
        return pairs;
    }

    /** Returns the summary, if the pairs are one of this version. */
    static Optional<RunSummary> read(Map<String, String> pairs) {
        if (!VERSION.equals(pairs.get(KEY))) {
            return Optional.empty();
        }
        SortedMap<Count, Long> counts = new TreeMap<>();
        for (Count count : Count.values()) {
            counts.put(count, number(pairs, key(count)));
        }
        SortedMap<Listed, SortedSet<String>> lists = new TreeMap<>();
        SortedMap<Listed, Long> omitted = new TreeMap<>();
        for (Listed list : Listed.values()) {
            lists.put(list, lines(pairs, key(list), Function.identity()));
            omitted.put(list, number(pairs, keyOfOmitted(list)));
        }
        SortedMap<String, Amount> peaks = new TreeMap<>();
        pairs.forEach((key, text) -> {
            if (key.startsWith(PEAK)) {
                peaks.put(key.substring(PEAK.length()), amount(text));
            }
        });
        SortedMap<Cause, LeakTotals> leaks = new TreeMap<>();
        for (Cause cause : Cause.values()) {
            Optional.ofNullable(pairs.get(LEAKS + cause)).ifPresent(text -> leaks.put(cause, totals(text)));
        }
        return Optional.of(new RunSummary(
                counts,
                lists,
                omitted,
                peaks,
                leaks,
                totals(pairs.getOrDefault(KNOWN_LEAKS, text(LeakTotals.NOTHING))),
                lines(pairs, SLOWEST, SummaryEntry::amount),
                Optional.ofNullable(pairs.get(OVERVIEW))));
    }

    private static String key(Count count) {
        return KEY + "." + count.key();
    }

    private static String key(Listed list) {
        return KEY + "." + list.key;
    }

    private static String keyOfOmitted(Listed list) {
        return key(list) + ".more";
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

    private static <T> SortedSet<T> lines(Map<String, String> pairs, String key, Function<String, T> parsed) {
        return pairs.getOrDefault(key, "")
                .lines()
                .filter(line -> !line.isBlank())
                .map(parsed)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String text(Amount amount) {
        return amount.number() + " " + amount.name();
    }

    private static Amount amount(String text) {
        int end = text.indexOf(' ');
        return new Amount(Long.parseLong(text.substring(0, end)), text.substring(end + 1));
    }

    private static String text(LeakTotals totals) {
        return totals.leaks() + " " + totals.buffers() + " " + totals.bytes();
    }

    private static LeakTotals totals(String text) {
        String[] numbers = text.split(" ", -1);
        return new LeakTotals(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
    }
}
