package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.Reachability.State;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Comparator;
import java.util.Optional;

/**
 * Gives the cause {@code HELD} to a survivor with a handle that is still reachable. One handle is enough, whatever
 * happened to the others at its address.
 */
public final class HeldRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        return survivor.traces().stream()
                .filter(trace -> trace.reachability().state() == State.REACHABLE)
                .min(Comparator.comparingInt(trace -> rank(trace.reachability())))
                .map(trace -> LeakDiagnosis.withCircumstances(Cause.HELD, survivor, evidence(trace)));
    }

    /** A path is better evidence than none, and a short one better than a long one. */
    private static int rank(Reachability reachability) {
        return reachability.path().isEmpty()
                ? Integer.MAX_VALUE
                : reachability.path().size();
    }

    private static Evidence evidence(HistoryEvent.HandleTraced trace) {
        String what = trace.reachability()
                .pathText()
                .map(path -> "still referenced by " + path)
                .orElse("its handle is still reachable, but from none of the objects that were searched");
        return Evidence.formatted("%s (event #%d)", what, trace.number());
    }
}
