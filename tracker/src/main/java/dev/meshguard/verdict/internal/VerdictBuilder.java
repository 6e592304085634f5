package dev.meshguard.verdict.internal;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.SourceDescription;
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
import dev.meshguard.verdict.internal.rule.AmbiguousReportRule;
import dev.meshguard.verdict.internal.rule.CachedRule;
import dev.meshguard.verdict.internal.rule.CircularBufferUnreportedRule;
import dev.meshguard.verdict.internal.rule.FreeUnreportedRule;
import dev.meshguard.verdict.internal.rule.FreedOnOtherDevicesRule;
import dev.meshguard.verdict.internal.rule.HeldRule;
import dev.meshguard.verdict.internal.rule.KeptAfterReleaseRule;
import dev.meshguard.verdict.internal.rule.LateReportRule;
import dev.meshguard.verdict.internal.rule.LateRule;
import dev.meshguard.verdict.internal.rule.LostRule;
import dev.meshguard.verdict.internal.rule.OpenMeshRule;
import dev.meshguard.verdict.internal.rule.ProcessDiedRule;
import dev.meshguard.verdict.internal.rule.ReportedTwiceRule;
import dev.meshguard.verdict.internal.rule.Rule;
import dev.meshguard.verdict.internal.rule.SystemRule;
import dev.meshguard.verdict.internal.rule.UnexplainedRule;
import dev.meshguard.verdict.internal.survivor.HistoryIndex;
import dev.meshguard.verdict.internal.survivor.SurvivorFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Judges one history: finds the surviving buffers and their causes, overwritten data and wrong reports, and compares them with the
 * expected buffers.
 */
public final class VerdictBuilder {

    private final AllocationHistory history;
    private final HistoryIndex index;
    private final ExpectedBuffers expected;
    private final EarlierFindings excluded;
    private final Set<SourceDescription> unrequested;

    /**
     * Prepares a verdict.
     *
     * @param whole the history, with the events after the check
     * @param excluded the verdicts whose findings are not reported again
     * @param unrequested the sources whose announcement does not connect the tracker
     */
    public VerdictBuilder(
            AllocationHistory whole,
            ExpectedBuffers expected,
            List<EarlierVerdict> excluded,
            Set<SourceDescription> unrequested) {
        this.history = whole.asOfCheck();
        this.index = new HistoryIndex(history, whole);
        this.expected = expected;
        this.excluded = new EarlierFindings(excluded);
        this.unrequested = unrequested;
    }

    /**
     * Returns the rules in their order; the first that knows the cause of a survivor decides. The first three find that
     * nothing can be known yet, the others are in the order of {@link dev.meshguard.verdict.Cause}.
     */
    static List<Rule> rules(AllocationHistory history) {
        return List.of(
                new LateReportRule(history),
                new OpenMeshRule(),
                new AmbiguousReportRule(),
                new ProcessDiedRule(),
                new LateRule(),
                new ReportedTwiceRule(),
                new FreeUnreportedRule(),
                new CircularBufferUnreportedRule(),
                new CachedRule(),
                new SystemRule(),
                new FreedOnOtherDevicesRule(),
                new KeptAfterReleaseRule(),
                new HeldRule(),
                new LostRule(),
                new UnexplainedRule());
    }

    /** Returns the survivors that neither their lifetime, nor an expectation, nor an excluded verdict covers; the oldest first. */
    public List<BufferGeneration> unexpectedSurvivors() {
        List<BufferGeneration> others = history.live().stream()
                .filter(buffer -> buffer.lifetime() == BufferLifetime.USER)
                .filter(buffer -> excluded.reported(buffer).isEmpty())
                .toList();
        return ExpectationMatcher.unexpected(expected, history, others);
    }

    /** Returns the verdict. */
    public LeakVerdict verdict() {
        List<BufferGeneration> remaining = remaining();
        List<Rule> rules = remaining.isEmpty() ? List.of() : rules(history);
        List<Survivor> alreadyReported = new ArrayList<>();
        List<Survivor> diagnosed = new ArrayList<>();
        for (BufferGeneration buffer : remaining) {
            excluded.reported(buffer)
                    .ifPresentOrElse(alreadyReported::add, () -> diagnosed.add(diagnosed(buffer, rules)));
        }
        List<UnreportedMemory> unreported = UnreportedMemory.in(index);
        List<Anomaly> anomalies = anomalies(unreported);
        ExpectationMatcher.Match matched =
                ExpectationMatcher.match(expected, history, diagnosed, overwrites(alreadyReported, diagnosed));
        List<ExpectationResult> expectations = joined(matched.results(), excluded.results(alreadyReported));
        List<Survivor> survivors = joined(matched.survivors(), alreadyReported);
        survivors.sort(Comparator.comparingLong(survivor -> survivor.buffer().allocatedAt()));
        LeakVerdict.Sum sum = sum(survivors);
        List<InconclusiveReason> reasons =
                new InconclusiveReasons(history, matched.survivors(), unrequested).of(unreported, sum);
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
        List<T> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    // Survivors. Every test makes a verdict and most have none: a stream is slow until compiled.

    /** Returns what was live at the check, and what was freed after the close of its allocator had begun; oldest first. */
    private List<BufferGeneration> remaining() {
        List<BufferGeneration> remaining = new ArrayList<>(history.live());
        for (BufferGeneration buffer : history.freedAfterClose()) {
            if (!LateRule.lateReports(new SurvivorFacts(buffer, index)).isEmpty()) {
                remaining.add(buffer);
            }
        }
        remaining.sort(Comparator.comparingLong(BufferGeneration::allocatedAt));
        return remaining;
    }

    /** Returns a survivor with the diagnosis of the first rule that knows its cause; the last one always applies. */
    private Survivor diagnosed(BufferGeneration buffer, List<Rule> rules) {
        SurvivorFacts facts = new SurvivorFacts(buffer, index);
        Diagnosis first = rules.stream()
                .flatMap(rule -> rule.examine(facts).stream())
                .findFirst()
                .orElseThrow();
        return new Survivor(buffer, first, Optional.empty());
    }

    private List<SurvivorGroup> groups(List<Survivor> survivors) {
        return survivors.isEmpty() ? List.of() : new SurvivorGrouping(index, survivors).groups();
    }

    // Other findings

    private List<Anomaly> anomalies(List<UnreportedMemory> unreported) {
        List<Anomaly> anomalies = new ArrayList<>(history.anomalies());
        unreported.forEach(memory -> memory.anomalies().forEach(anomalies::add));
        anomalies.removeIf(excluded::isReported);
        return anomalies;
    }

    private List<Overwrite> overwrites(List<Survivor> alreadyReported, List<Survivor> diagnosed) {
        List<Overwrite> overwrites = new ArrayList<>(OverwriteSearch.in(history, joined(alreadyReported, diagnosed)));
        overwrites.removeIf(excluded::isReported);
        return overwrites;
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

    private LeakVerdict.Sum sum(List<Survivor> survivors) {
        long[] counts = new long[SurvivorStatus.values().length];
        survivors.forEach(survivor -> counts[survivor.status().ordinal()]++);
        long allocated = history.allocatedBuffers();
        return new LeakVerdict.Sum(
                allocated,
                allocated - survivors.size(),
                counts[SurvivorStatus.FREED_LATE.ordinal()],
                counts[SurvivorStatus.LEAKED.ordinal()],
                counts[SurvivorStatus.MISREPORTED.ordinal()],
                counts[SurvivorStatus.EXPECTED.ordinal()],
                counts[SurvivorStatus.UNDECIDED.ordinal()]);
    }
}
