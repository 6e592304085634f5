package dev.meshguard.verdict.internal.rule;

import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Optional;

/**
 * Leaves the cause open for a buffer whose mesh is still open and may free it, unless the process that would close the
 * mesh has exited.
 */
public final class OpenMeshRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        if (!survivor.buffer().isLive() || ProcessDiedRule.isOfDeadProcess(survivor)) {
            return Optional.empty();
        }
        return survivor.history()
                .openMeshOf(survivor.buffer())
                .map(open -> Diagnosis.undecided(
                        Cause.UNEXPLAINED,
                        InconclusiveReason.Kind.MESH_OPEN,
                        Evidence.of("mesh " + open.id() + " is still open, so it may still be freed")));
    }
}
