package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import java.util.Optional;
import java.util.OptionalLong;

/** A buffer whose owner was kept by a cache when the mesh closed. */
final class CachedRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        for (Report report : survivor.buffer().reports()) {
            Optional<Owner> owner = report.request().details().owner();
            if (report.isOpen() && owner.isPresent()) {
                Optional<HistoryEvent.OwnerCached> caching = survivor.history().cachingOf(owner.get());
                OptionalLong end = survivor.history().endOf(owner.get());
                if (caching.isPresent() && end.isEmpty()) {
                    return Optional.of(
                            LeakDiagnosis.certain(Cause.CACHED, survivor, stillThere(owner.get(), caching.get())));
                }
            }
        }
        return Optional.empty();
    }

    private static Evidence stillThere(Owner owner, HistoryEvent.OwnerCached caching) {
        return Evidence.formatted(
                        "%s has been in the %s since event #%d and never left it",
                        owner, caching.cache(), caching.number())
                .provedBy(caching.number());
    }
}
