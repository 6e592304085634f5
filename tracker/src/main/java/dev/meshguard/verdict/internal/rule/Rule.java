package dev.meshguard.verdict.internal.rule;

import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.internal.VerdictBuilder;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.Optional;

/**
 * Decides whether the history proves one cause of a survivor, such as {@code HELD}, and if so explains it.
 * {@link VerdictBuilder#rules} lists all rules in their order.
 */
@FunctionalInterface
public interface Rule {

    /**
     * Returns the diagnosis of a survivor if the history proves the cause, or empty. It is called only for survivors for which all
     * earlier rules returned empty.
     */
    Optional<Diagnosis> examine(SurvivorFacts survivor);
}
