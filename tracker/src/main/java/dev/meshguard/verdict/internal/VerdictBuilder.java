package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Diagnosis;
import dev.meshguard.verdict.InconclusiveReason;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorGroup;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.expectation.ExpectationResult;
import dev.meshguard.verdict.expectation.ExpectationResult.Kind;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Builds the verdict on one history, in stages: each returns what later ones read. */
public final class VerdictBuilder {

    private final AllocationHistory history;
    private final HistoryIndex index;
    private final ExcludedFindings excluded;

    private VerdictBuilder(AllocationHistory whole, List<ExcludedPart> parts) {
        this.history = whole.asOfCheck();
        this.index = new HistoryIndex(history, whole);
        this.excluded = new ExcludedFindings(parts);
    }

    /** Returns the verdict on a history, without the findings of parts that were reported before. */
    public static LeakVerdict verdict(AllocationHistory whole, ExpectedBuffers expected, List<ExcludedPart> parts) {
        return new VerdictBuilder(whole, parts).verdict(expected);
    }

    /** Returns the survivors that neither their lifetime, nor an expectation, nor a verdict on a part covers; the oldest first. */
    public static List<BufferGeneration> unexpectedSurvivors(
            AllocationHistory whole, ExpectedBuffers expected, List<ExcludedPart> parts) {
        AllocationHistory history = whole.asOfCheck();
        ExcludedFindings excluded = new ExcludedFindings(parts);
        List<BufferGeneration> others = history.live().stream()
                .filter(buffer -> buffer.lifetime() == BufferLifetime.USER)
                .filter(buffer -> excluded.reported(buffer).isEmpty())
                .toList();
        return ExpectationMatcher.unexpected(expected, history, others);
    }

    /**
     * Returns the rules in their order; the first that knows the cause of a survivor decides. The first three find that
     * nothing can be known yet, the others are in the order of {@link dev.meshguard.verdict.Cause}.
     */
    static List<Rule> rules(AllocationHistory history) {
        return List.of(
                new LateReportRule(history),
                new OpenMeshRule(),
                new BareReportRule(history),
                new ProcessDiedRule(),
                new LateRule(),
                new ReportedTwiceRule(),
                new FreeUnreportedRule(),
                new CircularBufferUnreportedRule(),
                new CachedRule(),
                new SystemRule(),
                new StaticInitializerRule(),
                new FreedOnOtherDevicesRule(),
                new KeptAfterReleaseRule(),
                new HeldRule(),
                new LostRule(),
                new UnexplainedRule());
    }

    private LeakVerdict verdict(ExpectedBuffers expected) {
        List<BufferGeneration> remaining = remaining();
        List<Survivor> reported = reported(remaining);
        List<Survivor> diagnosed = diagnosed(remaining);
        List<UnreportedMemory> unreported = UnreportedMemory.in(history, index);
        List<Anomaly> anomalies = anomalies(unreported);
        ExpectationMatcher.Match matched =
                ExpectationMatcher.match(expected, history, diagnosed, overwrites(reported, diagnosed));
        List<ExpectationResult> expectations = joined(matched.results(), excluded.results(reported));
        List<Survivor> survivors = joined(matched.survivors(), reported).stream()
                .sorted(Comparator.comparingLong(survivor -> survivor.buffer().allocatedAt()))
                .toList();
        LeakVerdict.Sum sum = sum(survivors);
        List<InconclusiveReason> reasons = InconclusiveReasons.of(history, matched.survivors(), unreported, sum);
        return new LeakVerdict(
                history,
                outcome(survivors, reasons, anomalies, expectations, matched.overwrites()),
                survivors,
                groups(survivors),
                sum,
                anomalies,
                matched.overwrites(),
                expectations,
                reasons);
    }

    private static <T> List<T> joined(List<T> some, List<T> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    // Survivors

    /** Returns what was live at the check, and what was freed after the close of its allocator had begun; oldest first. */
    private List<BufferGeneration> remaining() {
        Stream<BufferGeneration> freedLate = history.freedAfterClose().stream()
                .filter(buffer -> !LateRule.lateReports(context(buffer)).isEmpty());
        return Stream.concat(history.live().stream(), freedLate)
                .sorted(Comparator.comparingLong(BufferGeneration::allocatedAt))
                .toList();
    }

    private SurvivorContext context(BufferGeneration buffer) {
        return new SurvivorContext(buffer, history, index);
    }

    /** Returns what verdicts on parts have reported, as they reported it. */
    private List<Survivor> reported(List<BufferGeneration> remaining) {
        return remaining.stream()
                .flatMap(buffer -> excluded.reported(buffer).stream())
                .toList();
    }

    private List<Survivor> diagnosed(List<BufferGeneration> remaining) {
        List<BufferGeneration> others = remaining.stream()
                .filter(buffer -> excluded.reported(buffer).isEmpty())
                .toList();
        if (others.isEmpty()) {
            return List.of();
        }
        List<Rule> rules = rules(history);
        return others.stream()
                .map(buffer -> new Survivor(buffer, diagnosis(context(buffer), rules), Optional.empty()))
                .toList();
    }

    private static Diagnosis diagnosis(SurvivorContext survivor, List<Rule> rules) {
        return rules.stream()
                .flatMap(rule -> rule.examine(survivor).stream())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("The last rule passed on " + survivor.buffer()));
    }

    private List<SurvivorGroup> groups(List<Survivor> survivors) {
        if (survivors.isEmpty()) {
            return List.of();
        }
        Set<BufferGeneration> freedLate = survivors.stream()
                .map(Survivor::buffer)
                .filter(buffer -> !buffer.isLive())
                .collect(Collectors.toSet());
        return new SurvivorGrouping(history, index, freedLate).of(survivors);
    }

    // Other findings

    private List<Anomaly> anomalies(List<UnreportedMemory> unreported) {
        return Stream.concat(history.anomalies().stream(), unreported.stream().flatMap(UnreportedMemory::anomalies))
                .filter(anomaly -> !excluded.isReported(anomaly))
                .toList();
    }

    private List<Overwrite> overwrites(List<Survivor> reported, List<Survivor> diagnosed) {
        return OverwriteSearch.in(history, joined(reported, diagnosed)).stream()
                .filter(overwrite -> !excluded.isReported(overwrite))
                .toList();
    }

    private static Outcome outcome(
            List<Survivor> survivors,
            List<InconclusiveReason> reasons,
            List<Anomaly> anomalies,
            List<ExpectationResult> expectations,
            List<Overwrite> overwrites) {
        Outcome worst = reasons.isEmpty() ? Outcome.LEAK_FREE : Outcome.INCONCLUSIVE;
        for (Survivor survivor : survivors) {
            worst = worst.orWorse(survivor.status().outcome());
        }
        for (Overwrite overwrite : overwrites) {
            worst = worst.orWorse(overwrite.isExpected() ? Outcome.EXPECTED_ONLY : Outcome.OVERWRITTEN);
        }
        for (ExpectationResult result : expectations) {
            worst = result.kind() == Kind.UNDER_ITS_BOUND ? worst.orWorse(Outcome.STALE_EXPECTATION) : worst;
        }
        for (Anomaly anomaly : anomalies) {
            worst = anomaly.kind().unbalancesLedger() ? worst.orWorse(Outcome.MISREPORTED) : worst;
        }
        return worst;
    }

    // Sums

    private LeakVerdict.Sum sum(List<Survivor> survivors) {
        long allocated = history.allocatedBuffers();
        return new LeakVerdict.Sum(
                allocated,
                allocated - survivors.size(),
                count(survivors, SurvivorStatus.FREED_LATE),
                count(survivors, SurvivorStatus.LEAKED),
                count(survivors, SurvivorStatus.MISREPORTED),
                count(survivors, SurvivorStatus.EXPECTED),
                count(survivors, SurvivorStatus.UNDECIDED));
    }

    private static long count(List<Survivor> survivors, SurvivorStatus status) {
        return survivors.stream()
                .filter(survivor -> survivor.status() == status)
                .count();
    }
}
