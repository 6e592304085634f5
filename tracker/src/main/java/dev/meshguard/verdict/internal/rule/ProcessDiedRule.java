package dev.meshguard.verdict.internal.rule;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Gives the cause {@code PROCESS_DIED} to a survivor whose process exited, so that no code can free it.
 *
 * <p>Reports after the exit belong to another process with that number. Buffers that were proved free before the exit
 * have another cause.
 */
public final class ProcessDiedRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        if (!isOfDeadProcess(survivor)
                || survivor.isProvedFree()
                || survivor.freeAfterClose().isPresent()) {
            return Optional.empty();
        }
        Report first = survivor.buffer().reportsRemaining().get(0);
        HistoryEvent.ProcessDied death = deathAfter(first, survivor).orElseThrow();
        return Optional.of(LeakDiagnosis.certain(
                Cause.PROCESS_DIED,
                survivor,
                Evidence.formatted(
                        "process %d allocated it (event #%d) and ended (event #%d) without freeing it",
                        death.processId(), first.allocatedAt(), death.number())));
    }

    /** Returns whether a buffer is in the ledger only because processes exited. */
    static boolean isOfDeadProcess(SurvivorFacts survivor) {
        return survivor.buffer().isLive()
                && survivor.buffer().reportsRemaining().stream()
                        .allMatch(report -> deathAfter(report, survivor).isPresent());
    }

    private static Optional<HistoryEvent.ProcessDied> deathAfter(Report report, SurvivorFacts survivor) {
        OptionalLong process = report.details().processId();
        return process.isPresent()
                ? survivor.history().deathOf(process.getAsLong()).filter(death -> death.number() > report.allocatedAt())
                : Optional.empty();
    }
}
