package dev.meshguard.verdict.internal.rule;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.internal.survivor.LeakDiagnosis;
import dev.meshguard.verdict.internal.survivor.Phrases;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Optional;

/**
 * Gives the cause {@code UNEXPLAINED} to every survivor that no other rule explains, and states how often it was
 * reported and freed.
 */
public final class UnexplainedRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorFacts survivor) {
        Evidence frees = Evidence.of(freesOf(survivor), survivor.buffer().allocatedAt());
        return Optional.of(LeakDiagnosis.withCircumstances(Cause.UNEXPLAINED, survivor, frees));
    }

    private static String freesOf(SurvivorFacts survivor) {
        BufferGeneration buffer = survivor.buffer();
        int freed = buffer.reports().size() - buffer.openReports();
        return freed == 0
                ? "no " + survivor.vocabulary().free() + " was reported"
                : "reported " + Phrases.times(buffer.reports().size()) + ", freed " + Phrases.times(freed);
    }
}
