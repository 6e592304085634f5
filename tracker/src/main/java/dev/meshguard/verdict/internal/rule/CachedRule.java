package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Optional;

/** Gives the cause {@code CACHED} to a survivor whose owner was kept by a cache when the mesh closed. */
public final class CachedRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        AllocationHistory history = survivor.history();
        return survivor.buffer().reportsRemaining().stream()
                .flatMap(report -> report.details().owner().stream())
                .filter(history::isCached)
                .findFirst()
                .map(owner -> LeakDiagnosis.certain(
                        Cause.CACHED,
                        survivor,
                        stillThere(owner, history.cachingOf(owner).orElseThrow())));
    }

    private static Evidence stillThere(Owner owner, HistoryEvent.OwnerCached caching) {
        return Evidence.formatted(
                "%s has been in the %s since event #%d and never left it", owner, caching.cache(), caching.number());
    }
}
