package dev.meshguard.reproduce.minimize;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Omits parts of a history while its finding stays the same, and keeps the shortest history so far. */
final class MinimizingSearch {

    private static final long MAX_EVENTS = 20_000_000;
    private static final long MAX_TIMES_THE_HISTORY = 60;

    private final AllocationHistory whole;
    private final LeakCheck check;
    private final FailureSignature finding;
    private final Function<LeakVerdict, FailureSignature> reading;
    private final Predicate<FailureSignature> kept;
    private final int maxChecks;
    private final long maxEvents;
    private final boolean isInTheEvents;

    private MutableHistory least;
    private int checks;
    private long eventsSeen;
    private int steps;

    MinimizingSearch(
            AllocationHistory whole,
            LeakCheck check,
            Function<LeakVerdict, FailureSignature> reading,
            FailureSignature finding,
            Predicate<FailureSignature> kept,
            int mostChecks) {
        this.reading = reading;
        this.whole = whole;
        this.check = check;
        this.finding = finding;
        this.kept = kept;
        this.maxChecks = mostChecks;
        this.maxEvents =
                Math.max(MAX_EVENTS, MAX_TIMES_THE_HISTORY * whole.events().size());
        this.least = new MutableHistory(whole);
        // Sums that were kept beside the events are counted again, so a finding that is only in them disappears.
        this.isInTheEvents = isKept(least);
        this.steps = 0;
    }

    boolean isOver() {
        return !isInTheEvents || checks >= maxChecks || eventsSeen >= maxEvents;
    }

    /** Returns how many omissions succeeded so far. */
    int steps() {
        return steps;
    }

    /** Tries candidates in order until one keeps the finding. */
    void attempt(List<UnaryOperator<MutableHistory>> candidates) {
        for (UnaryOperator<MutableHistory> candidate : candidates) {
            if (isOver() || isAccepted(candidate.apply(least))) {
                return;
            }
        }
    }

    /** Omits chunks in ever smaller numbers, the latest first. */
    void omit(Function<MutableHistory, OmittableParts> cutting) {
        OmittableParts pieces = cutting.apply(least);
        BitSet gone = new BitSet();
        List<Integer> left = new ArrayList<>();
        for (int piece = 0; piece < pieces.size(); piece++) {
            left.add(piece);
        }
        for (int chunk = left.size(); chunk > 0; chunk /= 2) {
            for (int end = left.size(); end > 0 && !isOver(); end -= Math.min(chunk, end)) {
                List<Integer> some = left.subList(Math.max(0, end - chunk), end);
                BitSet without = (BitSet) gone.clone();
                some.forEach(without::set);
                if (isAccepted(pieces.without(without))) {
                    gone = without;
                    some.clear();
                }
            }
        }
    }

    /** Returns the possible simplifications of the remaining events. */
    List<UnaryOperator<MutableHistory>> simplifications() {
        return Simplification.all(least);
    }

    MinimizedHistory result() {
        AllocationHistory history = isInTheEvents ? least.numberedFromOne().history() : whole;
        return new MinimizedHistory(
                history,
                finding,
                isInTheEvents ? reading.apply(check.examine(history)) : finding,
                MinimizedHistory.Extent.of(whole),
                MinimizedHistory.Extent.of(history),
                checks,
                isOver());
    }

    @SuppressWarnings("ReferenceEquality") // A change without effect returns the same list.
    private boolean isAccepted(MutableHistory candidate) {
        if (candidate == least || !isKept(candidate)) {
            return false;
        }
        least = candidate;
        steps++;
        return true;
    }

    private boolean isKept(MutableHistory candidate) {
        checks++;
        eventsSeen += candidate.size();
        return kept.test(reading.apply(check.examine(candidate.history())));
    }
}
