package dev.meshguard.report.summary;

import dev.meshguard.verdict.Cause;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The numbers of a run, or of several that are reported together.
 *
 * <p>{@link #entry()} and {@link #read} transfer them from the extension, which adds them up, to the listener, which
 * prints them. The two may come from different class loaders or versions, so they exchange only text.
 *
 * <p>Immutable.
 *
 * @param counts the number of checks of each kind and result; a missing one is 0
 * @param lists the listed names; of each list only the first are kept
 * @param omitted the number of further names of each list
 * @param peaks the maximum bytes that were allocated at once: of one device by the name of the type, of memory that belongs to no
 *     device by the name of the memory
 * @param leaks the survivors that leaked, by cause
 * @param knownLeaks the leaks that are in the baseline
 * @param slowest the slowest checks, slowest first
 * @param overview the page of all tests, if it was written
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RunSummary(
        SortedMap<Count, Long> counts,
        SortedMap<Listed, SortedSet<String>> lists,
        SortedMap<Listed, Long> omitted,
        SortedMap<String, Amount> peaks,
        SortedMap<Cause, LeakTotals> leaks,
        LeakTotals knownLeaks,
        SortedSet<Amount> slowest,
        Optional<String> overview) {

    /** The number of slowest checks that are kept. */
    public static final int MAX_SLOWEST = 3;

    /** The numbers of a summary. */
    public enum Count {
        /** Checked tests. */
        TESTS,
        /** Checked classes whose tests share a mesh. */
        CLASSES,
        /** Checks of memory for which no test is responsible. */
        RUNS,
        /** Checked programs that tests started. */
        PROCESSES,
        /** Buffers that were ever allocated on the checked meshes. */
        BUFFERS,
        /** Failed checks. */
        FAILED,
        /** Failed checks without a leak. */
        FAILED_WITHOUT_LEAK,
        /** Checks that did not hold for an aborted test. */
        ABORTED,
        /** Checks that did not hold only because of known leaks. */
        KNOWN;

        /** Returns the name in a report entry: {@code failed.without-leak}. */
        String key() {
            return name().toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
        }
    }

    /** The lists of names in a summary. */
    public enum Listed {
        /** The entries of files that matched. */
        MATCHED("expectations.matched", Integer.MAX_VALUE),
        /** The entries of files that matched nothing. */
        UNMATCHED("expectations.unmatched", Integer.MAX_VALUE),
        /** Sentences about judgements that only a whole run allows. */
        UNJUDGED("run.unjudged", Integer.MAX_VALUE),
        /** The failed checks with their first lines and pages, where the build tool hides messages. */
        FAILURES("failures", 10),
        /** The commands that rerun the failed checks. */
        REPRODUCTIONS("reproduce", 10);

        /** Its name in a report entry. */
        final String key;

        private final int most;

        Listed(String key, int most) {
            this.key = key;
            this.most = most;
        }
    }

    /** Creates a summary with its own copies; of each list only the first elements are kept. */
    public RunSummary {
        SortedMap<Listed, SortedSet<String>> kept = new TreeMap<>();
        SortedMap<Listed, Long> more = new TreeMap<>(omitted);
        lists.forEach((list, names) -> {
            kept.put(list, first(list.most, names));
            more.merge(list, Math.max(0L, names.size() - list.most), Long::sum);
        });
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
        lists = Collections.unmodifiableSortedMap(kept);
        omitted = Collections.unmodifiableSortedMap(more);
        peaks = Collections.unmodifiableSortedMap(new TreeMap<>(peaks));
        leaks = Collections.unmodifiableSortedMap(new TreeMap<>(leaks));
        slowest = first(MAX_SLOWEST, slowest);
    }

    private static <T> SortedSet<T> first(int most, SortedSet<T> all) {
        return Collections.unmodifiableSortedSet(
                all.stream().limit(most).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Returns the numbers as the pairs of a report entry; no value is blank. */
    public Map<String, String> entry() {
        return SummaryEntry.of(this);
    }

    /**
     * Returns the numbers from the pairs of {@link #entry()}.
     *
     * @param pairs the pairs of any report entry
     * @return nothing if they are from another entry, or of another version
     */
    public static Optional<RunSummary> read(Map<String, String> pairs) {
        return SummaryEntry.read(pairs);
    }

    /** Returns the lines for the end of a run, without a line break at the end: the same in every locale and on every terminal. */
    public String text() {
        return SummaryText.of(this);
    }

    /** Returns a number. */
    long count(Count what) {
        return counts.getOrDefault(what, 0L);
    }

    /** Returns the names of a list. */
    SortedSet<String> names(Listed list) {
        return lists.getOrDefault(list, Collections.emptySortedSet());
    }

    /** Returns the number of names of a list that are not kept. */
    long omitted(Listed list) {
        return omitted.getOrDefault(list, 0L);
    }

    /** Returns whether anything was checked; if not, there is nothing to print. */
    public boolean hasChecks() {
        return count(Count.TESTS) + count(Count.CLASSES) + count(Count.RUNS) + count(Count.PROCESSES) > 0;
    }

    /** Returns whether any check did not hold, excluding known leaks. */
    public boolean hasFailures() {
        return count(Count.FAILED) + count(Count.ABORTED) > 0;
    }

    /** Returns the sum of both; an entry that matched in one of them has matched. */
    public RunSummary and(RunSummary other) {
        SortedMap<Listed, SortedSet<String>> listedInAny = merged(lists, other.lists, RunSummary::union);
        listedInAny.computeIfPresent(Listed.UNMATCHED, (list, names) -> {
            SortedSet<String> inNone = new TreeSet<>(names);
            inNone.removeAll(listedInAny.getOrDefault(Listed.MATCHED, Collections.emptySortedSet()));
            return inNone;
        });
        return new RunSummary(
                merged(counts, other.counts, Long::sum),
                listedInAny,
                merged(omitted, other.omitted, Long::sum),
                merged(peaks, other.peaks, Amount::or),
                merged(leaks, other.leaks, LeakTotals::and),
                knownLeaks.and(other.knownLeaks),
                union(slowest, other.slowest),
                overview.or(() -> other.overview));
    }

    private static <K, V> SortedMap<K, V> merged(SortedMap<K, V> one, SortedMap<K, V> other, BinaryOperator<V> sum) {
        SortedMap<K, V> both = new TreeMap<>(one);
        other.forEach((key, value) -> both.merge(key, value, sum));
        return both;
    }

    private static <T> SortedSet<T> union(SortedSet<T> one, SortedSet<T> other) {
        SortedSet<T> both = new TreeSet<>(one);
        both.addAll(other);
        return both;
    }
}
