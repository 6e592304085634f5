package dev.meshguard.report.summary;

import dev.meshguard.verdict.Cause;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
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
 * @param tests the number of checked tests
 * @param classes the number of checked classes whose tests share a mesh
 * @param runs the number of checks of memory for which no test is responsible
 * @param processes the number of checked programs that tests started
 * @param buffers the number of buffers that were ever allocated on the checked meshes
 * @param failed the number of failed checks
 * @param withoutLeak the number of those without a leak
 * @param aborted the number of checks that did not hold for an aborted test
 * @param known the number of checks that did not hold only because of known leaks
 * @param peaks the maximum bytes that were allocated at once: of one device by the name of the type, of memory that belongs to no
 *     device by the name of the memory
 * @param leaks the survivors that leaked, by cause
 * @param knownLeaks the leaks that are in the baseline
 * @param matched the entries of files that matched
 * @param unmatched the entries of files that matched nothing
 * @param slowest the slowest checks, slowest first
 * @param failures the failed checks with their first lines and pages, where the build tool hides messages
 * @param moreFailures the number of further ones
 * @param reproductions the commands that rerun the failed checks, in order
 * @param moreReproductions the number of further commands
 * @param unjudged what is left to judge of whole runs, in sentences
 * @param overview the page of all tests, if it was written
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record RunSummary(
        long tests,
        long classes,
        long runs,
        long processes,
        long buffers,
        long failed,
        long withoutLeak,
        long aborted,
        long known,
        SortedMap<String, Amount> peaks,
        Map<Cause, LeakTotals> leaks,
        LeakTotals knownLeaks,
        SortedSet<String> matched,
        SortedSet<String> unmatched,
        SortedSet<Amount> slowest,
        SortedSet<String> failures,
        long moreFailures,
        SortedSet<String> reproductions,
        long moreReproductions,
        SortedSet<String> unjudged,
        Optional<String> overview) {

    /** The number of slowest checks that are kept. */
    public static final int MAX_SLOWEST = 3;

    static final int MAX_REPRODUCTIONS = 10;
    static final int MAX_FAILURES = 10;

    /** Creates a summary with its own copies; of each list only the first elements are kept. */
    public RunSummary {
        peaks = Collections.unmodifiableSortedMap(new TreeMap<>(peaks));
        leaks = Collections.unmodifiableMap(leaks.isEmpty() ? new EnumMap<>(Cause.class) : new EnumMap<>(leaks));
        matched = Collections.unmodifiableSortedSet(new TreeSet<>(matched));
        unmatched = Collections.unmodifiableSortedSet(new TreeSet<>(unmatched));
        unjudged = Collections.unmodifiableSortedSet(new TreeSet<>(unjudged));
        moreReproductions += Math.max(0, reproductions.size() - MAX_REPRODUCTIONS);
        moreFailures += Math.max(0, failures.size() - MAX_FAILURES);
        slowest = first(MAX_SLOWEST, slowest);
        failures = first(MAX_FAILURES, failures);
        reproductions = first(MAX_REPRODUCTIONS, reproductions);
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

    private static <T> SortedSet<T> first(int most, SortedSet<T> all) {
        TreeSet<T> first = new TreeSet<>(all);
        while (first.size() > most) {
            first.pollLast();
        }
        return Collections.unmodifiableSortedSet(first);
    }

    /** Returns whether anything was checked; if not, there is nothing to print. */
    public boolean hasChecks() {
        return tests + classes + runs + processes > 0;
    }

    /** Returns whether any check did not hold, excluding known leaks. */
    public boolean hasFailures() {
        return failed + aborted > 0;
    }

    /** Returns the sum of both; an entry that matched in one of them has matched. */
    public RunSummary and(RunSummary other) {
        SortedSet<String> bothMatched = union(matched, other.matched);
        SortedSet<String> neither = union(unmatched, other.unmatched);
        neither.removeAll(bothMatched);
        SortedMap<String, Amount> higher = new TreeMap<>(peaks);
        other.peaks.forEach((memory, peak) -> higher.merge(memory, peak, Amount::or));
        EnumMap<Cause, LeakTotals> all = new EnumMap<>(Cause.class);
        all.putAll(leaks);
        other.leaks.forEach((cause, count) -> all.merge(cause, count, LeakTotals::and));
        return new RunSummary(
                tests + other.tests,
                classes + other.classes,
                runs + other.runs,
                processes + other.processes,
                buffers + other.buffers,
                failed + other.failed,
                withoutLeak + other.withoutLeak,
                aborted + other.aborted,
                known + other.known,
                higher,
                all,
                knownLeaks.and(other.knownLeaks),
                bothMatched,
                neither,
                union(slowest, other.slowest),
                union(failures, other.failures),
                moreFailures + other.moreFailures,
                union(reproductions, other.reproductions),
                moreReproductions + other.moreReproductions,
                union(unjudged, other.unjudged),
                overview.or(() -> other.overview));
    }

    private static <T> SortedSet<T> union(SortedSet<T> one, SortedSet<T> other) {
        SortedSet<T> both = new TreeSet<>(one);
        both.addAll(other);
        return both;
    }
}
