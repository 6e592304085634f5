package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Reachability.State;
import dev.meshguard.event.References;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.List;
import java.util.Optional;

/** Gives the cause LOST to a survivor whose handles were garbage collected before any code freed it in time. */
public final class LostRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        return unreachable(survivor)
                .or(() -> collected(survivor))
                .map(decisive -> LeakDiagnosis.withCircumstances(Cause.LOST, survivor, decisive));
    }

    private static Optional<Evidence> unreachable(SurvivorFacts survivor) {
        List<HistoryEvent.HandleTraced> traces = survivor.traces();
        boolean allLost = traces.size() >= survivor.requestsToFree()
                && traces.stream().allMatch(trace -> trace.reachability().state() == State.LOST);
        if (traces.isEmpty() || !allLost) {
            return Optional.empty();
        }
        long number = traces.get(0).number();
        String what = survivor.allRemaining(AllocationDetails::freedOnCollection)
                ? "only the garbage collector frees it, at a moment that nobody chooses"
                : missingFree(survivor);
        return Optional.of(
                Evidence.formatted("no handle to it is reachable any more, and %s (event #%d)", what, number));
    }

    private static String missingFree(SurvivorFacts survivor) {
        SourceVocabulary words = survivor.vocabulary();
        return survivor.sharedReferences()
                .map(references -> releasesOf(references) + words.freed())
                .or(() -> survivor.freeInVain().map(unused -> "no " + words.free() + " of it had an effect"))
                .orElseGet(() -> "no " + words.free() + " of it was reported");
    }

    private static String releasesOf(References references) {
        long all = references.retains() + 1;
        long released = references.releases();
        return released == 0
                ? "none of its " + all + " references was "
                : "of " + all + " references only " + released + (released == 1 ? " was " : " were ");
    }

    /** A garbage collection after the close or the check freed it too late. */
    private static Optional<Evidence> collected(SurvivorFacts survivor) {
        return collectedWith(survivor)
                .or(() -> survivor.later()
                        .flatMap(later -> later.buffer().isCollected()
                                ? Optional.of(
                                        collectedAt(later.buffer().freedAt().orElseThrow()))
                                : collectedWith(later)));
    }

    private static Optional<Evidence> collectedWith(SurvivorFacts survivor) {
        return survivor.freeAfterClose()
                .filter(free -> free.details().handleCollected())
                .map(free -> collectedAt(free.number()));
    }

    private static Evidence collectedAt(long event) {
        return Evidence.formatted(
                "no call freed it: its handle was collected at event #%d, when it should have been freed already",
                event);
    }
}
