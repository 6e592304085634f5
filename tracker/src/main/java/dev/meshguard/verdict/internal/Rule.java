package dev.meshguard.verdict.internal;

import dev.meshguard.verdict.Diagnosis;
import java.util.Optional;

/** A rule for one cause: it names the cause of a survivor with evidence, or returns nothing. */
@FunctionalInterface
interface Rule {

    Optional<Diagnosis> examine(SurvivorFacts survivor);
}
