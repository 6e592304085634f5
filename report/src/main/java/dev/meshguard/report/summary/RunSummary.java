package dev.meshguard.report.summary;

import dev.meshguard.event.BufferType;
import dev.meshguard.verdict.Cause;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The numbers of a run, or of several that are told together.
 *
 * <p>{@link #entry()} and {@link #read} carry them from the extension that adds them up to the listener that prints them: the two may
 * come from different class loaders or versions, so that nothing but text goes from one to the other.
 *
 * <p>Immutable.
 *
 * @param tests how many tests were checked
 * @param classes how many classes whose tests share a mesh
 * @param runs how many meshes of all tests
 * @param processes how many programs that tests started
 * @param buffers how many buffers were ever allocated on the meshes that were checked
 * @param failed how many checks failed
 * @param withoutLeak how many of those for something else than a leak
 * @param aborted how many checks did not hold for a test that was aborted
 * @param skipped how many were not made for a test that threw, as its policy asks
 * @param known how many did not hold for nothing but known leaks
 * @param peaks the most bytes that one device held at once, by type
 * @param leaks what was left, by cause
 * @param knownLeaks what was left that the baseline knows
 * @param matched the entries of files that matched
 * @param unmatched the entries of files that matched nothing
 * @param slowest the checks that took longest, longest first
 * @param reproductions the commands that run again what failed, in order
 * @param moreReproductions how many commands more there are
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
        long skipped,
        long known,
        Map<BufferType, Amount> peaks,
        Map<Cause, LeakCount> leaks,
        LeakCount knownLeaks,
        SortedSet<String> matched,
        SortedSet<String> unmatched,
        SortedSet<Amount> slowest,
        SortedSet<String> reproductions,
        long moreReproductions) {

    /** So many of the slowest checks are kept. */
    public static final int MAX_SLOWEST = 3;

    static final int MAX_REPRODUCTIONS = 10;

    /** Creates a summary with its own copies; of what is listed only the first are kept. */
    public RunSummary {
        peaks = Collections.unmodifiableMap(peaks.isEmpty() ? new EnumMap<>(BufferType.class) : new EnumMap<>(peaks));
        leaks = Collections.unmodifiableMap(leaks.isEmpty() ? new EnumMap<>(Cause.class) : new EnumMap<>(leaks));
        matched = Collections.unmodifiableSortedSet(new TreeSet<>(matched));
        unmatched = Collections.unmodifiableSortedSet(new TreeSet<>(unmatched));
        moreReproductions += Math.max(0, reproductions.size() - MAX_REPRODUCTIONS);
        slowest = first(MAX_SLOWEST, slowest);
        reproductions = first(MAX_REPRODUCTIONS, reproductions);
    }

    /** Returns the numbers as the pairs of a report entry; no value is blank. */
    public Map<String, String> entry() {
        return SummaryEntry.of(this);
    }

    /**
     * Returns the numbers that {@link #entry()} made pairs of.
     *
     * @param pairs those of any report entry
     * @return nothing if they are something else, or of another version
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

    /** Tells whether anything was checked; if not, there is nothing to say. */
    public boolean hasChecks() {
        return tests + classes + runs + processes > 0;
    }

    /** Tells whether any check did not hold, known leaks apart. */
    public boolean hasFailures() {
        return failed + aborted > 0;
    }

    /** Returns the numbers of both; an entry that matched in one of them has matched. */
    public RunSummary and(RunSummary other) {
        SortedSet<String> bothMatched = union(matched, other.matched);
        SortedSet<String> neither = union(unmatched, other.unmatched);
        neither.removeAll(bothMatched);
        EnumMap<BufferType, Amount> higher = new EnumMap<>(BufferType.class);
        higher.putAll(peaks);
        other.peaks.forEach((type, peak) -> higher.merge(type, peak, Amount::or));
        EnumMap<Cause, LeakCount> all = new EnumMap<>(Cause.class);
        all.putAll(leaks);
        other.leaks.forEach((cause, count) -> all.merge(cause, count, LeakCount::and));
        return new RunSummary(
                tests + other.tests,
                classes + other.classes,
                runs + other.runs,
                processes + other.processes,
                buffers + other.buffers,
                failed + other.failed,
                withoutLeak + other.withoutLeak,
                aborted + other.aborted,
                skipped + other.skipped,
                known + other.known,
                higher,
                all,
                knownLeaks.and(other.knownLeaks),
                bothMatched,
                neither,
                union(slowest, other.slowest),
                union(reproductions, other.reproductions),
                moreReproductions + other.moreReproductions);
    }

    private static <T> SortedSet<T> union(SortedSet<T> one, SortedSet<T> other) {
        SortedSet<T> both = new TreeSet<>(one);
        both.addAll(other);
        return both;
    }
}
