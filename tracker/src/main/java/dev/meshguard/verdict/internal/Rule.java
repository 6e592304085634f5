package dev.meshguard.verdict.internal;

import dev.meshguard.verdict.Diagnosis;
import java.util.Optional;

/** Looks at one survivor and either names a cause with evidence or passes. */
@FunctionalInterface
interface Rule {

    Optional<Diagnosis> examine(SurvivorContext survivor);
}
