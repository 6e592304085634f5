package dev.meshguard.verdict;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The cause of one survivor, with the evidence for it.
 *
 * @param cause the cause
 * @param status how the survivor counts
 * @param evidence the facts, the decisive one first; at least one
 * @param reason if the survivor is undecided, the kind of the reason for that
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Diagnosis(
        Cause cause, SurvivorStatus status, List<Evidence> evidence, Optional<InconclusiveReason.Kind> reason) {

    /**
     * Creates a diagnosis with its own copy of the evidence.
     *
     * @throws IllegalArgumentException if there is no evidence
     */
    public Diagnosis {
        evidence = List.copyOf(evidence);
        if (evidence.isEmpty()) {
            throw new IllegalArgumentException("A cause is never named without evidence: none was given for " + cause);
        }
    }

    /** Returns a diagnosis with its decisive fact. */
    public static Diagnosis of(Cause cause, SurvivorStatus status, Evidence decisive) {
        return new Diagnosis(cause, status, List.of(decisive), Optional.empty());
    }

    /** Returns the diagnosis of a survivor that cannot be decided, with its decisive fact. */
    public static Diagnosis undecided(Cause cause, InconclusiveReason.Kind reason, Evidence decisive) {
        return new Diagnosis(cause, SurvivorStatus.UNDECIDED, List.of(decisive), Optional.of(reason));
    }

    /** Returns this diagnosis with a further fact, if there is one. */
    public Diagnosis and(Optional<Evidence> fact) {
        return and(fact.stream().toList());
    }

    /** Returns this diagnosis with further facts. */
    public Diagnosis and(List<Evidence> facts) {
        List<Evidence> all = new ArrayList<>(evidence);
        all.addAll(facts);
        return new Diagnosis(cause, status, all, reason);
    }
}
