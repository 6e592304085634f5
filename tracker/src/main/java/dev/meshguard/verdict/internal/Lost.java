package dev.meshguard.verdict.internal;

import dev.meshguard.tracker.Reachability.State;
import dev.meshguard.tracker.history.HistoryEvent;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A buffer of which every handle was collected before anybody freed it. */
final class Lost implements Rule {

    @Override
    public Optional<Diagnosis> examine(Case survivor) {
        List<HistoryEvent.HandleTraced> traces = survivor.traces();
        boolean allLost = traces.size() >= survivor.requestsToFree()
                && traces.stream().allMatch(trace -> trace.reachability().state() == State.LOST);
        if (traces.isEmpty() || !allLost) {
            return Optional.empty();
        }
        long number = traces.get(0).number();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(
                String.format(
                        Locale.ROOT,
                        "no handle to it is reachable any more, and it was never freed (event #%d)",
                        number),
                number));
        evidence.addAll(survivor.circumstances());
        return Optional.of(new Diagnosis(Cause.LOST, Standing.LEAKED, evidence));
    }
}
