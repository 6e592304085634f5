package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.Reachability.State;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A buffer with a reachable handle. One handle is enough, whatever happened to the others at its address. */
final class HeldRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorContext survivor) {
        Optional<HistoryEvent.HandleTraced> held = survivor.traces().stream()
                .filter(trace -> trace.reachability().state() == State.HELD)
                .min((one, other) -> Integer.compare(rank(one.reachability()), rank(other.reachability())));
        return held.map(trace -> {
            List<Evidence> evidence = new ArrayList<>();
            evidence.add(Evidence.of(description(trace), trace.number()));
            evidence.addAll(survivor.circumstances());
            return new Diagnosis(Cause.HELD, SurvivorStatus.LEAKED, evidence);
        });
    }

    /** A path is better evidence than none, and a short one better than a long one. */
    private static int rank(Reachability reachability) {
        return reachability.path().isEmpty()
                ? Integer.MAX_VALUE
                : reachability.path().size();
    }

    private static String description(HistoryEvent.HandleTraced trace) {
        return trace.reachability()
                .pathText()
                .map(path -> String.format(Locale.ROOT, "still referenced by %s (event #%d)", path, trace.number()))
                .orElse(String.format(
                        Locale.ROOT,
                        "its handle is still reachable, but from none of the objects that were searched (event #%d)",
                        trace.number()));
    }
}
