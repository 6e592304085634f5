package dev.meshguard.reproduce.minimize;

import dev.meshguard.history.Anomaly;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Baseline;
import dev.meshguard.verdict.baseline.BaselineComparison;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The findings of a failed execution without their number and location. Two executions with equal signatures fail in
 * the same way.
 *
 * @param outcome the outcome
 * @param survivorKinds the causes of unexpected survivors, and how they count
 * @param anomalies the kinds of reports that prevent the ledger from balancing
 * @param inconclusiveReasons the kinds of reasons why the check cannot decide
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FailureSignature(
        Outcome outcome,
        Set<SurvivorKind> survivorKinds,
        Set<Anomaly.Kind> anomalies,
        Set<InconclusiveReason.Kind> inconclusiveReasons) {

    /**
     * The cause of a survivor, and how it counts.
     *
     * @param cause the cause
     * @param status how it counts
     */
    public record SurvivorKind(Cause cause, SurvivorStatus status) {

        static SurvivorKind of(Survivor survivor) {
            return new SurvivorKind(survivor.cause(), survivor.status());
        }
    }

    /** Creates a signature with its own copies of the sets. */
    public FailureSignature {
        survivorKinds = Set.copyOf(survivorKinds);
        anomalies = Set.copyOf(anomalies);
        inconclusiveReasons = Set.copyOf(inconclusiveReasons);
    }

    /** Returns the signature of a verdict. */
    public static FailureSignature of(LeakVerdict verdict) {
        return new FailureSignature(
                verdict.outcome(),
                verdict.survivors(FailureSignature::isWrong).stream()
                        .map(SurvivorKind::of)
                        .collect(Collectors.toSet()),
                verdict.unbalancingAnomalies().stream().map(Anomaly::kind).collect(Collectors.toSet()),
                verdict.inconclusiveReasons().stream()
                        .map(InconclusiveReason::kind)
                        .collect(Collectors.toSet()));
    }

    /** Returns the signature of a verdict without findings of a baseline, which count as expected. */
    static FailureSignature of(LeakVerdict verdict, Baseline known) {
        if (known.entries().isEmpty()) {
            return of(verdict);
        }
        BaselineComparison comparison = BaselineComparison.of(known, verdict);
        Set<SurvivorKind> kinds = new HashSet<>();
        for (SurvivorGroup group : verdict.groups()) {
            boolean isKnown = comparison
                    .description(group)
                    .filter(BaselineComparison.KNOWN::equals)
                    .isPresent();
            if (!isKnown) {
                Stream.concat(Stream.of(group), group.consequences().stream())
                        .flatMap(one -> one.survivors().stream())
                        .filter(FailureSignature::isWrong)
                        .map(SurvivorKind::of)
                        .forEach(kinds::add);
            }
        }
        Outcome worst = verdict.survivors().isEmpty() ? Outcome.LEAK_FREE : Outcome.EXPECTED_ONLY;
        for (SurvivorKind kind : kinds) {
            worst = worst.orWorse(kind.status().outcome());
        }
        FailureSignature whole = of(verdict);
        worst = verdict.meetsExpectations() ? worst : worst.orWorse(Outcome.STALE_EXPECTATION);
        worst = whole.anomalies().isEmpty() ? worst : worst.orWorse(Outcome.MISREPORTED);
        worst = verdict.inconclusiveReasonTexts().isEmpty() ? worst : worst.orWorse(Outcome.INCONCLUSIVE);
        return new FailureSignature(worst, kinds, whole.anomalies(), whole.inconclusiveReasons());
    }

    static boolean isWrong(Survivor survivor) {
        return survivor.status() != SurvivorStatus.EXPECTED;
    }

    /** Returns whether there are no findings: all memory was freed, or all survivors are expected. */
    public boolean isClean() {
        return outcome == Outcome.LEAK_FREE || outcome == Outcome.EXPECTED_ONLY;
    }

    /** Returns the causes, in their order. */
    public Set<Cause> causes() {
        Set<Cause> causes = EnumSet.noneOf(Cause.class);
        survivorKinds.forEach(kind -> causes.add(kind.cause()));
        return causes;
    }

    /**
     * Returns whether another execution fails in the same way.
     *
     * <p>The outcome is the same, every proved finding of this signature is in the other, and the other has no further
     * finding. Inconclusive reasons count only if the outcome is {@code INCONCLUSIVE}: where memory leaked anyway, a
     * shorter history may lack them.
     */
    public boolean isKeptBy(FailureSignature other) {
        return outcome == other.outcome
                && anomalies.equals(other.anomalies)
                && survivorKinds.containsAll(other.survivorKinds)
                && inconclusiveReasons.containsAll(other.inconclusiveReasons)
                && other.survivorKinds.containsAll(survivorKinds(this::counts))
                && (outcome != Outcome.INCONCLUSIVE || other.inconclusiveReasons.equals(inconclusiveReasons));
    }

    private boolean counts(SurvivorKind kind) {
        return kind.status() != SurvivorStatus.UNDECIDED || outcome == Outcome.INCONCLUSIVE;
    }

    private Set<SurvivorKind> survivorKinds(Predicate<SurvivorKind> fits) {
        return survivorKinds.stream().filter(fits).collect(Collectors.toSet());
    }

    /** Returns the signature as one line: {@code LEAKED: HELD, LOST; double free}. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        if (!survivorKinds.isEmpty()) {
            parts.add(survivorKinds.stream()
                    .sorted(Comparator.comparing(SurvivorKind::cause).thenComparing(SurvivorKind::status))
                    .map(kind -> kind.cause()
                            + (kind.status().outcome() == outcome
                                    ? ""
                                    : " (" + kind.status().description() + ")"))
                    .collect(Collectors.joining(", ")));
        }
        new TreeSet<>(anomalies).forEach(kind -> parts.add(kind.description()));
        new TreeSet<>(inconclusiveReasons).forEach(kind -> parts.add(kind.name()));
        return parts.isEmpty() ? outcome.name() : outcome + ": " + String.join("; ", parts);
    }
}
