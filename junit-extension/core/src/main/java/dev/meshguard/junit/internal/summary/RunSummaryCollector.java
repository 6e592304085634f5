package dev.meshguard.junit.internal.summary;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.report.summary.Amount;
import dev.meshguard.report.summary.LeakTotals;
import dev.meshguard.report.summary.RunSummary;
import dev.meshguard.report.summary.RunSummary.Count;
import dev.meshguard.report.summary.RunSummary.Listed;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakVerdict;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * Adds up the results of all checks of a run for its summary.
 *
 * <p>Keeps numbers and names only, so that no history outlives its test.
 *
 * <p>Safe for use by several threads.
 */
public final class RunSummaryCollector {

    private static final int MAX_SLOWEST = 3;

    private final LongSupplier nanoTime;
    private final OutputMode mode;
    private final SortedMap<String, Amount> peaks = new TreeMap<>();
    private final SortedMap<Cause, LeakTotals> leaks = new TreeMap<>();
    private final SortedSet<Amount> slowest = new TreeSet<>();
    private final NavigableSet<String> failures = new TreeSet<>();
    private final SortedSet<String> reproductions = new TreeSet<>();
    private final EnumMap<CheckSubject.Kind, Long> checked = new EnumMap<>(CheckSubject.Kind.class);
    private final EnumMap<CheckOutcome, Long> checksByResult = new EnumMap<>(CheckOutcome.class);
    private Optional<String> overview = Optional.empty();
    private LeakTotals knownLeaks = LeakTotals.NOTHING;
    private long buffers;
    private long withoutLeak;

    /**
     * Creates the collector of a run without checks.
     *
     * @param mode when the summary is printed
     * @param nanoTime the clock by which checks are timed; only differences count
     */
    public RunSummaryCollector(OutputMode mode, LongSupplier nanoTime) {
        this.mode = mode;
        this.nanoTime = nanoTime;
    }

    /** Begins a check of all that a tracker recorded, which ends when the returned object is closed. */
    public RunningCheck checkOfTracker(CheckSubject subject) {
        return new RunningCheck(this, subject, true, nanoTime.getAsLong());
    }

    /**
     * Begins a check of the allocations of one test on a shared mesh, which ends when the returned object is closed. Those count
     * in the check of the mesh's tracker, too.
     */
    public RunningCheck checkOfContext(CheckSubject subject) {
        return new RunningCheck(this, subject, false, nanoTime.getAsLong());
    }

    void ended(RunningCheck check) {
        long nanos = nanoTime.getAsLong() - check.begunAt();
        synchronized (this) {
            checked.merge(check.subject().kind(), 1L, Long::sum);
            checksByResult.merge(check.result(), 1L, Long::sum);
            addSlow(nanos, check.subject().name());
            check.verdict().ifPresent(verdict -> add(check, verdict));
            if (check.result() == CheckOutcome.FAILED) {
                reproductions.add(check.subject().reproduction());
                check.headline()
                        .map(line -> check.subject().name() + ": " + line
                                + check.page().map(page -> "   " + page).orElse(""))
                        .ifPresent(failures::add);
            }
        }
    }

    private void addSlow(long nanos, String name) {
        boolean isFull = slowest.size() == MAX_SLOWEST;
        if (isFull && nanos < slowest.last().number()) {
            return;
        }
        slowest.add(new Amount(nanos, name));
        if (slowest.size() > MAX_SLOWEST) {
            slowest.remove(slowest.last());
        }
    }

    private void add(RunningCheck check, LeakVerdict verdict) {
        if (check.isOfTracker()) {
            buffers += verdict.sum().allocated();
            addPeaks(verdict.history(), check.subject().name());
        }
        List<SurvivorFinding> remaining = check.findings().stream()
                .filter(finding -> finding.status().isDefect())
                .toList();
        switch (check.result()) {
            case PASSED -> {}
            case KNOWN -> remaining.forEach(finding -> knownLeaks = knownLeaks.and(LeakTotals.of(finding)));
            case FAILED, ABORTED -> {
                remaining.forEach(finding -> leaks.merge(finding.cause(), LeakTotals.of(finding), LeakTotals::and));
                withoutLeak += remaining.isEmpty() ? 1 : 0;
            }
        }
    }

    private void addPeaks(AllocationHistory history, String name) {
        history.timeline().curvesBy(DeviceMemory::of).forEach((memory, curve) -> {
            if (curve.peakBytes() > 0) {
                peaks.merge(nameOf(memory, history), new Amount(curve.peakBytes(), name), Amount::or);
            }
        });
    }

    /** Memory that belongs to no device is counted together, also that of several sources. */
    private static String nameOf(DeviceMemory memory, AllocationHistory history) {
        return memory.device() == HistoryEvent.NO_DEVICE
                ? history.generations().stream()
                        .filter(buffer -> !buffer.hasDevice())
                        .flatMap(buffer -> history.vocabularyOf(buffer.request()).memory().stream())
                        .distinct()
                        .sorted()
                        .reduce((one, other) -> one + " and " + other)
                        .orElse("memory of no device")
                : memory.type().name();
    }

    /** Sets the location of the page of all tests, which was written after the last check. */
    public synchronized void shownOn(String page) {
        overview = Optional.of(page);
    }

    /**
     * Returns the text of the numbers, if they are to be printed.
     *
     * @param matched the entries of files that matched
     * @param unmatched those that did not match
     * @param unjudged what is left to judge of the whole run, if anything
     */
    public Optional<String> text(Collection<String> matched, Collection<String> unmatched, Optional<String> unjudged) {
        return Optional.of(summary(matched, unmatched, unjudged))
                .filter(this::isWanted)
                .map(RunSummary::text);
    }

    private boolean isWanted(RunSummary summary) {
        return switch (mode) {
            case OFF -> false;
            case FAILURES -> summary.hasFailures();
            case ALWAYS -> summary.hasChecks();
        };
    }

    private synchronized RunSummary summary(
            Collection<String> matched, Collection<String> unmatched, Optional<String> unjudged) {
        Map<Count, Long> counts = Map.of(
                Count.TESTS, checked.getOrDefault(CheckSubject.Kind.TEST, 0L),
                Count.CLASSES, checked.getOrDefault(CheckSubject.Kind.CLASS, 0L),
                Count.RUNS, checked.getOrDefault(CheckSubject.Kind.RUN, 0L),
                Count.PROCESSES, checked.getOrDefault(CheckSubject.Kind.PROCESS, 0L),
                Count.BUFFERS, buffers,
                Count.FAILED, checksByResult.getOrDefault(CheckOutcome.FAILED, 0L),
                Count.FAILED_WITHOUT_LEAK, withoutLeak,
                Count.ABORTED, checksByResult.getOrDefault(CheckOutcome.ABORTED, 0L),
                Count.KNOWN, checksByResult.getOrDefault(CheckOutcome.KNOWN, 0L));
        Map<Listed, SortedSet<String>> lists = Map.of(
                Listed.MATCHED, new TreeSet<>(matched),
                Listed.UNMATCHED, new TreeSet<>(unmatched),
                Listed.UNJUDGED, new TreeSet<>(unjudged.stream().toList()),
                Listed.FAILURES, failures,
                Listed.REPRODUCTIONS, reproductions);
        return new RunSummary(new TreeMap<>(counts), new TreeMap<>(lists), peaks, leaks, knownLeaks, slowest, overview);
    }
}
