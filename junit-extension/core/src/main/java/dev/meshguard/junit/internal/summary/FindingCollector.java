package dev.meshguard.junit.internal.summary;

import dev.meshguard.event.BufferType;
import dev.meshguard.report.CallerLines;
import dev.meshguard.report.summary.FindingTotals;
import dev.meshguard.report.summary.LeakTotals;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.BaselineComparison;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Adds up the findings of all checks by cause, status and line, for the report of a CI job.
 *
 * <p>The time for a check does not depend on the number of earlier checks. Not safe for use by several threads.
 */
final class FindingCollector {

    private final Map<FindingTotals.Key, Sum> sums = new HashMap<>();

    /** The totals of one key, changed by each check. */
    private static final class Sum {
        private final Set<BufferType> types = EnumSet.noneOf(BufferType.class);
        private final Map<StackTraceElement, LeakTotals> lines = new LinkedHashMap<>();
        private final SortedMap<String, Optional<String>> checks = new TreeMap<>();
        private LeakTotals totals = LeakTotals.NOTHING;

        void add(FindingTotals finding) {
            types.addAll(finding.types());
            totals = totals.and(finding.totals());
            finding.lines().forEach((line, part) -> lines.merge(line, part, LeakTotals::and));
            checks.putAll(finding.checks());
        }
    }

    /** Returns the findings of a check; the caller may compute them before it takes a lock. */
    static List<FindingTotals> findingsOf(RunningCheck check, LeakVerdict verdict) {
        Optional<BaselineComparison> compared = check.baseline().map(known -> BaselineComparison.of(known, verdict));
        CallerLines lines = CallerLines.of(verdict, check.testClass());
        Stream<FindingTotals> survivors = Stream.of(
                        SurvivorStatus.LEAKED,
                        SurvivorStatus.FREED_LATE,
                        SurvivorStatus.MISREPORTED,
                        SurvivorStatus.UNDECIDED)
                .flatMap(status -> verdict.groups(status).stream())
                .map(group -> FindingTotals.of(
                        group,
                        lines.firstLineOf(group),
                        compared.flatMap(comparison -> comparison.description(group)),
                        check.subject().name(),
                        check.page()));
        Stream<FindingTotals> overwritten = verdict.unexpectedOverwrites().stream()
                .map(overwrite -> FindingTotals.of(overwrite, check.subject().name(), check.page()));
        return Stream.concat(survivors, overwritten).toList();
    }

    /** Adds the findings of a check. */
    void add(List<FindingTotals> findings) {
        findings.forEach(finding ->
                sums.computeIfAbsent(finding.key(), unused -> new Sum()).add(finding));
    }

    /** Returns the totals of all checks. */
    List<FindingTotals> totals() {
        return sums.entrySet().stream()
                .map(ofKey -> new FindingTotals(
                        ofKey.getKey(),
                        ofKey.getValue().types,
                        ofKey.getValue().totals,
                        ofKey.getValue().lines,
                        ofKey.getValue().checks))
                .toList();
    }
}
