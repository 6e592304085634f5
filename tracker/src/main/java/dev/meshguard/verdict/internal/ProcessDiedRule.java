package dev.meshguard.verdict.internal;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A buffer whose process exited, so that no code can free it.
 *
 * <p>Reports after the exit belong to another process with that number. Buffers that were proved free before the exit
 * are no matter of this rule.
 */
final class ProcessDiedRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorContext survivor) {
        List<Evidence> evidence = new ArrayList<>();
        if (survivor.isProvedFree() || survivor.freeAfterClose().isPresent()) {
            return Optional.empty();
        }
        for (Report report : survivor.buffer().reportsRemaining()) {
            OptionalLong process = report.request().details().processId();
            Optional<HistoryEvent.ProcessDied> death =
                    process.isPresent() ? survivor.history().deathOf(process.getAsLong()) : Optional.empty();
            if (death.isEmpty() || death.get().number() < report.allocatedAt()) {
                return Optional.empty();
            }
            if (evidence.isEmpty()) {
                evidence.add(Evidence.of(
                        String.format(
                                Locale.ROOT,
                                "process %d allocated it (event #%d) and ended (event #%d) without freeing it",
                                process.getAsLong(),
                                report.allocatedAt(),
                                death.get().number()),
                        report.allocatedAt(),
                        death.get().number()));
            }
        }
        return evidence.isEmpty()
                ? Optional.empty()
                : Optional.of(new Diagnosis(Cause.PROCESS_DIED, SurvivorStatus.LEAKED, evidence));
    }
}
