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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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
    private final SortedMap<Count, Long> counts = new TreeMap<>();
    private final SortedMap<String, Amount> peaks = new TreeMap<>();
    private final SortedMap<Cause, LeakTotals> leaks = new TreeMap<>();
    private final SortedSet<Amount> slowest = new TreeSet<>();
    private final SortedSet<String> failures = new TreeSet<>();
    private final SortedSet<String> reproductions = new TreeSet<>();
    private Optional<String> overview = Optional.empty();
    private LeakTotals knownLeaks = LeakTotals.NOTHING;

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
        return new RunningCheck(subject, true);
    }

    /**
     * Begins a check of the allocations of one test on a shared mesh, which ends when the returned object is closed. Those count
     * in the check of the mesh's tracker, too.
     */
    public RunningCheck checkOfContext(CheckSubject subject) {
        return new RunningCheck(subject, false);
    }

    /**
     * One running check, added to the summary of its run when it ends.
     *
     * <p>Its default result is failed: an exception during a check fails its test.
     *
     * <p>Not safe for use by several threads; a check runs on one.
     */
    public final class RunningCheck implements AutoCloseable {

        private final CheckSubject subject;
        private final boolean isOfTracker;
        private final long begunAt = nanoTime.getAsLong();
        private CheckOutcome result = CheckOutcome.FAILED;
        private @Nullable LeakVerdict verdict;
        private List<SurvivorFinding> findings = List.of();
        private String page = "";
        private Optional<String> headline = Optional.empty();

        private RunningCheck(CheckSubject subject, boolean isOfTracker) {
            this.subject = subject;
            this.isOfTracker = isOfTracker;
        }

        /** Sets the verdict and its findings about survivors; the last call wins. */
        public void found(LeakVerdict newVerdict, List<SurvivorFinding> newFindings) {
            verdict = newVerdict;
            findings = newFindings;
        }

        /** Sets the location of the page that shows the check. */
        public void shownAt(String location) {
            page = "   " + location;
        }

        /** Sets the first line of the failure, for a summary that must name it. */
        public void failedWith(String firstLine) {
            headline = Optional.of(firstLine);
        }

        /** Sets the result of the check. */
        public void became(CheckOutcome newOutcome) {
            result = newOutcome;
        }

        /** Ends the check. Other tests wait for the lock, so a history is read before. */
        @Override
        public void close() {
            long nanos = nanoTime.getAsLong() - begunAt;
            long buffers = verdict != null && isOfTracker ? verdict.sum().allocated() : 0;
            Map<String, Amount> ownPeaks =
                    verdict != null && buffers > 0 ? peaksOf(verdict.history(), subject.name()) : Map.of();
            List<SurvivorFinding> defects = findings.stream()
                    .filter(finding -> finding.status().isDefect())
                    .toList();
            synchronized (RunSummaryCollector.this) {
                add(countOf(subject.kind()), 1);
                add(Count.BUFFERS, buffers);
                ownPeaks.forEach((memory, peak) -> peaks.merge(memory, peak, Amount::or));
                slowest.add(new Amount(nanos, subject.name()));
                if (slowest.size() > MAX_SLOWEST) {
                    slowest.remove(slowest.last());
                }
                addResult(defects);
            }
        }

        /** The caller holds the lock of the collector. */
        private void addResult(List<SurvivorFinding> defects) {
            switch (result) {
                case PASSED -> {}
                case KNOWN -> {
                    add(Count.KNOWN, 1);
                    defects.forEach(finding -> knownLeaks = knownLeaks.and(LeakTotals.of(finding)));
                }
                case FAILED, ABORTED -> {
                    add(result == CheckOutcome.FAILED ? Count.FAILED : Count.ABORTED, 1);
                    add(Count.FAILED_WITHOUT_LEAK, verdict != null && defects.isEmpty() ? 1 : 0);
                    defects.forEach(finding -> leaks.merge(finding.cause(), LeakTotals.of(finding), LeakTotals::and));
                }
            }
            if (result == CheckOutcome.FAILED) {
                reproductions.add(subject.reproduction());
                headline.ifPresent(line -> failures.add(subject.name() + ": " + line + page));
            }
        }
    }

    private static Count countOf(CheckSubject.Kind kind) {
        return switch (kind) {
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
    public synchronized Optional<String> text(
            Collection<String> matched, Collection<String> unmatched, Optional<String> unjudged) {
        Map<Listed, SortedSet<String>> lists = Map.of(
                Listed.MATCHED, new TreeSet<>(matched),
                Listed.UNMATCHED, new TreeSet<>(unmatched),
                Listed.UNJUDGED, new TreeSet<>(unjudged.stream().toList()),
                Listed.FAILURES, failures,
                Listed.REPRODUCTIONS, reproductions);
        RunSummary summary = new RunSummary(counts, new TreeMap<>(lists), peaks, leaks, knownLeaks, slowest, overview);
        boolean isWanted = switch (mode) {
            case OFF -> false;
            case FAILURES -> summary.hasFailures();
            case ALWAYS -> summary.hasChecks();
        };
        return isWanted ? Optional.of(summary.text()) : Optional.empty();
    }
}
