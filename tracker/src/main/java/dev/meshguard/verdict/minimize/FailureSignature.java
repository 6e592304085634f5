package dev.meshguard.verdict.minimize;

import dev.meshguard.tracker.history.Anomaly;
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
 * What is wrong with a run, without how often and where: two runs with the same finding fail the same way.
 *
 * @param outcome the outcome
 * @param fates why buffers are left that may not stay, and how that counts
 * @param anomalies the kinds of reports because of which the books cannot balance
 * @param inconclusiveReasons the kinds of reasons why it cannot be known
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FailureSignature(
        Outcome outcome,
        Set<Fate> fates,
        Set<Anomaly.Kind> anomalies,
        Set<InconclusiveReason.Kind> inconclusiveReasons) {

    /**
     * Why a buffer is left, and how that counts.
     *
     * @param cause why
     * @param status how it counts
     */
    public record Fate(Cause cause, SurvivorStatus status) {

        static Fate of(Survivor survivor) {
            return new Fate(survivor.cause(), survivor.status());
        }
    }

    /** Creates a finding with its own copies of the sets. */
    public FailureSignature {
        fates = Set.copyOf(fates);
        anomalies = Set.copyOf(anomalies);
        inconclusiveReasons = Set.copyOf(inconclusiveReasons);
    }

    /** Returns what is wrong according to a verdict. */
    public static FailureSignature of(LeakVerdict verdict) {
        return new FailureSignature(
                verdict.outcome(),
                verdict.survivors(FailureSignature::isWrong).stream()
                        .map(Fate::of)
                        .collect(Collectors.toSet()),
                verdict.unbalancingAnomalies().stream().map(Anomaly::kind).collect(Collectors.toSet()),
                verdict.inconclusiveReasons().stream()
                        .map(InconclusiveReason::kind)
                        .collect(Collectors.toSet()));
    }

    /** Returns what is wrong according to a verdict that a baseline does not know; what it knows is as good as expected. */
    static FailureSignature of(LeakVerdict verdict, Baseline known) {
        if (known.entries().isEmpty()) {
            return of(verdict);
        }
        BaselineComparison comparison = BaselineComparison.of(known, verdict);
        Set<Fate> fates = new HashSet<>();
        for (SurvivorGroup group : verdict.groups()) {
            boolean isKnown = comparison
                    .description(group)
                    .filter(BaselineComparison.KNOWN::equals)
                    .isPresent();
            if (!isKnown) {
                Stream.concat(Stream.of(group), group.consequences().stream())
                        .flatMap(one -> one.survivors().stream())
                        .filter(FailureSignature::isWrong)
                        .map(Fate::of)
                        .forEach(fates::add);
            }
        }
        Outcome worst = verdict.survivors().isEmpty() ? Outcome.LEAK_FREE : Outcome.EXPECTED_ONLY;
        for (Fate fate : fates) {
            worst = worst.orWorse(fate.status().outcome());
        }
        FailureSignature whole = of(verdict);
        worst = verdict.meetsExpectations() ? worst : worst.orWorse(Outcome.STALE_EXPECTATION);
        worst = whole.anomalies().isEmpty() ? worst : worst.orWorse(Outcome.MISREPORTED);
        worst = verdict.inconclusiveReasonTexts().isEmpty() ? worst : worst.orWorse(Outcome.INCONCLUSIVE);
        return new FailureSignature(worst, fates, whole.anomalies(), whole.inconclusiveReasons());
    }

    static boolean isWrong(Survivor survivor) {
        return survivor.status() != SurvivorStatus.EXPECTED;
    }

    /** Returns whether nothing is wrong: everything was given back, or only what may stay is left. */
    public boolean isClean() {
        return outcome == Outcome.LEAK_FREE || outcome == Outcome.EXPECTED_ONLY;
    }

    /** Returns the causes, in their order. */
    public Set<Cause> causes() {
        Set<Cause> causes = EnumSet.noneOf(Cause.class);
        fates.forEach(fate -> causes.add(fate.cause()));
        return causes;
    }

    /**
     * Returns whether another run fails the same way: the outcome is the same, everything that was proved wrong here is wrong there, and
     * nothing is wrong there that is not here.
     *
     * <p>What is not known counts as a finding only where the outcome is that it is not known. Where memory leaked all the same, a
     * shorter history may do without.
     */
    public boolean isKeptBy(FailureSignature other) {
        return outcome == other.outcome
                && anomalies.equals(other.anomalies)
                && fates.containsAll(other.fates)
                && inconclusiveReasons.containsAll(other.inconclusiveReasons)
                && other.fates.containsAll(fates(this::counts))
                && (outcome != Outcome.INCONCLUSIVE || other.inconclusiveReasons.equals(inconclusiveReasons));
    }

    private boolean counts(Fate fate) {
        return fate.status() != SurvivorStatus.UNDECIDED || outcome == Outcome.INCONCLUSIVE;
    }

    private Set<Fate> fates(Predicate<Fate> fits) {
        return fates.stream().filter(fits).collect(Collectors.toSet());
    }

    /** Returns it as one line: {@code LEAKED: HELD, LOST; double free}. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        if (!fates.isEmpty()) {
            parts.add(fates.stream()
                    .sorted(Comparator.comparing(Fate::cause).thenComparing(Fate::status))
                    .map(fate -> fate.cause()
                            + (fate.status().outcome() == outcome
                                    ? ""
                                    : " (" + fate.status().description() + ")"))
                    .collect(Collectors.joining(", ")));
        }
        new TreeSet<>(anomalies).forEach(kind -> parts.add(kind.description()));
        new TreeSet<>(inconclusiveReasons).forEach(kind -> parts.add(kind.name()));
        return parts.isEmpty() ? outcome.name() : outcome + ": " + String.join("; ", parts);
    }
}
