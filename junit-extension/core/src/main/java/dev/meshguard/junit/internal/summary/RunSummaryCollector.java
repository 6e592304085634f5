package dev.meshguard.junit.internal.summary;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.report.summary.Amount;
import dev.meshguard.report.summary.LeakTotals;
import dev.meshguard.report.summary.RunSummary;
import dev.meshguard.report.summary.RunSummary.Count;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.DeviceMemory;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Adds up the results of all checks of a run for its summary.
 *
 * <p>Keeps numbers and names only, so that no history outlives its test.
 *
 * <p>Safe for use by several threads.
 */
public final class RunSummaryCollector {

    private final OutputMode mode;
    private final SortedMap<Count, Long> counts = new TreeMap<>();
    private final SortedMap<String, Amount> peaks = new TreeMap<>();
    private final SortedMap<Cause, LeakTotals> leaks = new TreeMap<>();
    private final SortedSet<String> failures = new TreeSet<>();
    private final NavigableSet<String> reproductions = new TreeSet<>();
    private final SortedSet<String> notes = new TreeSet<>();
    private LeakTotals knownLeaks = LeakTotals.NOTHING;

    /**
     * Creates the collector of a run without checks.
     *
     * @param mode when the summary is printed
     */
    public RunSummaryCollector(OutputMode mode) {
        this.mode = mode;
    }

    /** Adds a check. Other tests wait for the lock, so a history is read before. */
    public void add(FinishedCheck check) {
        // The check of a shared mesh counts the buffers of its tests, too.
        long buffers = check.verdict()
                .filter(verdict -> verdict.history().context().isEmpty())
                .map(verdict -> verdict.sum().allocated())
                .orElse(0L);
        Map<String, Amount> ownPeaks =
                buffers > 0 ? peaksOf(check.verdict().orElseThrow().history(), check.name()) : Map.of();
        synchronized (this) {
            check.subject().ifPresent(subject -> add(countOf(subject), 1));
            add(Count.BUFFERS, buffers);
            ownPeaks.forEach((memory, peak) -> peaks.merge(memory, peak, Amount::or));
            addResult(check);
        }
    }

    /** Adds what tests without annotation allocated, and whether a listener announced tests. */
    public synchronized void addUntracked(long buffers, boolean lacksListener) {
        add(Count.UNTRACKED_BUFFERS, buffers);
        add(Count.WITHOUT_LISTENER, lacksListener ? 1 : 0);
    }

    /** Adds a test of which no source saw an allocation. */
    public synchronized void addUnseen() {
        add(Count.UNSEEN, 1);
    }

    /** Adds a whole sentence for the reader of the summary. */
    public synchronized void note(String sentence) {
        notes.add(sentence);
    }

    /** The caller holds the lock. */
    private void addResult(FinishedCheck check) {
        switch (check.outcome()) {
            case PASSED -> {}
            case KNOWN -> {
                add(Count.KNOWN, 1);
                check.defects().forEach(finding -> knownLeaks = knownLeaks.and(LeakTotals.of(finding)));
            }
            case FAILED, ABORTED -> {
                boolean hasFailed = check.outcome() == CheckOutcome.FAILED;
                add(hasFailed ? Count.FAILED : Count.ABORTED, 1);
                List<SurvivorFinding> defects = check.defects();
                add(Count.FAILED_WITHOUT_LEAK, hasFailed && defects.isEmpty() ? 1 : 0);
                defects.forEach(finding -> leaks.merge(finding.cause(), LeakTotals.of(finding), LeakTotals::and));
            }
        }
        check.failure().ifPresent(line -> failures.add(check.name() + ": " + line));
        check.reproduction().ifPresent(reproductions::add);
    }

    private static Count countOf(CheckSubject subject) {
        return switch (subject) {
            case TEST -> Count.TESTS;
            case CLASS -> Count.CLASSES;
            case RUN -> Count.RUNS;
            case PROCESS -> Count.PROCESSES;
        };
    }

    private void add(Count what, long number) {
        counts.merge(what, number, Long::sum);
    }

    private static Map<String, Amount> peaksOf(AllocationHistory history, String check) {
        Map<String, Amount> found = new HashMap<>();
        history.timeline().curvesBy(DeviceMemory::of).forEach((memory, curve) -> {
            if (curve.peakBytes() > 0) {
                found.merge(nameOf(memory, history), new Amount(curve.peakBytes(), check), Amount::or);
            }
        });
        return found;
    }

    /** Memory that belongs to no device is counted together, also that of several sources. */
    private static String nameOf(DeviceMemory memory, AllocationHistory history) {
        return memory.device() == HistoryEvent.NO_DEVICE
                ? history.generations().stream()
                        .filter(buffer -> !buffer.hasDevice() && !buffer.isOfUnknownSize())
                        .flatMap(buffer -> history.vocabularyOf(buffer.request()).memory().stream())
                        .distinct()
                        .sorted()
                        .reduce((one, other) -> one + " and " + other)
                        .orElse("memory of no device")
                : memory.type().name();
    }

    /**
     * Returns the text of the numbers, if they are to be printed.
     *
     * @param matched the number of entries of files that matched
     * @param unmatched those that did not match
     * @param wholeRun what the end of the run judged, or leaves to others to judge, if anything
     * @param overview the page of all tests, if it was written
     */
    public synchronized Optional<String> text(
            int matched, Collection<String> unmatched, Optional<String> wholeRun, Optional<String> overview) {
        RunSummary summary = new RunSummary(
                counts,
                peaks,
                leaks,
                knownLeaks,
                matched,
                new TreeSet<>(unmatched),
                failures,
                reproductions,
                wholeRun,
                notes,
                overview);
        boolean isWanted = switch (mode) {
            case OFF -> false;
            case FAILURES -> summary.hasFailures();
            case ALWAYS -> summary.hasContent();
        };
        return isWanted ? Optional.of(summary.text()) : Optional.empty();
    }
}
