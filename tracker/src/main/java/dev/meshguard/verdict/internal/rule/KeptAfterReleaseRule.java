package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Gives the cause {@code KEPT_AFTER_RELEASE} to a survivor of a trace that was released without freeing the buffer.
 *
 * <p>The release should have freed the buffer, so without a witness only the report may be missing. The rule therefore
 * requires a witness that listed the buffer after the release.
 */
public final class KeptAfterReleaseRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        Optional<HistoryEvent.Witnessed> snapshot = survivor.snapshot();
        if (snapshot.isEmpty() || survivor.addressState() != AddressState.ALLOCATED) {
            return Optional.empty();
        }
        List<Evidence> evidence = new ArrayList<>();
        for (Report report : survivor.remaining()) {
            Optional<Owner> trace = report.details().owner().filter(owner -> owner.kind() == Owner.Kind.TRACE);
            OptionalLong end = trace.map(survivor.history()::endOf).orElse(OptionalLong.empty());
            if (end.isEmpty()
                    || end.getAsLong() < report.allocatedAt()
                    || end.getAsLong() > snapshot.get().number()) {
                return Optional.empty();
            }
            evidence.add(released(trace.orElseThrow(), end.getAsLong()));
        }
        return Optional.of(LeakDiagnosis.of(Cause.KEPT_AFTER_RELEASE, survivor, evidence.get(0))
                .and(evidence.subList(1, evidence.size()))
                .and(survivor.snapshotEvidence()));
    }

    private static Evidence released(Owner trace, long end) {
        return Evidence.formatted("%s was released at event #%d, and its buffer was not freed", trace, end);
    }
}
