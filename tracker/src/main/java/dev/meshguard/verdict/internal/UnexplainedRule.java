package dev.meshguard.verdict.internal;

import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.Evidence;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The last rule: it always applies, and states how often the buffer was reported and freed. */
final class UnexplainedRule implements Rule {

    @Override
    public Optional<Diagnosis> examine(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        List<Evidence> evidence = new ArrayList<>();
        evidence.add(Evidence.of(freesOf(survivor), buffer.allocatedAt()));
        evidence.addAll(survivor.circumstances());
        return Optional.of(new Diagnosis(Cause.UNEXPLAINED, SurvivorStatus.LEAKED, evidence));
    }

    private static String freesOf(SurvivorContext survivor) {
        BufferGeneration buffer = survivor.buffer();
        int freed = buffer.reports().size() - buffer.openReports();
        return freed == 0
                ? "no " + survivor.words().free() + " was reported"
                : String.format(
                        Locale.ROOT,
                        "reported %s, freed %s",
                        Phrases.times(buffer.reports().size()),
                        Phrases.times(freed));
    }
}
