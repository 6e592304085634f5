package dev.meshguard.verdict.baseline;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The comparison of a verdict with a baseline.
 *
 * <p>It ignores frees of nothing and inconclusive reasons: no baseline covers them.
 *
 * @param baseline the known leaks
 * @param found the leaks of the verdict
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BaselineComparison(Baseline baseline, Baseline found) {

    /** The description of a known group that is within its count. */
    public static final String KNOWN = "known";

    /** Compares a verdict. */
    public static BaselineComparison of(Baseline baseline, LeakVerdict verdict) {
        return new BaselineComparison(baseline, Baseline.of(verdict));
    }

    /**
     * Returns whether the baseline covers every failure of the verdict, within its counts: then the verdict fails no
     * test.
     */
    public boolean covers(LeakVerdict verdict) {
        return verdict.inconclusiveReasonTexts().isEmpty()
                && verdict.unbalancingAnomalies().isEmpty()
                && verdict.meetsExpectations()
                && verdict.unexpectedOverwrites().isEmpty()
                && unknown().isEmpty();
    }

    /** Returns the leaks that are new, or above their known count. */
    public List<BaselineEntry> unknown() {
        return found.entries().values().stream()
                .filter(entry -> baseline.countOf(entry.fingerprint()) < entry.count())
                .toList();
    }

    /**
     * Returns the description of a group beside its fingerprint: {@code new since the baseline}, {@code known}, or
     * {@code known, but 9 instead of 8}; empty if it is no defect.
     */
    public Optional<String> description(SurvivorGroup group, Fingerprint ofGroup) {
        if (!group.status().isDefect()) {
            return Optional.empty();
        }
        String fingerprint = ofGroup.abbreviated(BaselineEntry.DIGITS);
        long known = baseline.countOf(fingerprint);
        // The verdict counts no consequences of other groups.
        long count = Math.max(found.countOf(fingerprint), group.survivors().size());
        if (known == 0) {
            return Optional.of("new since the baseline");
        }
        return Optional.of(
                count > known ? String.format(Locale.ROOT, "known, but %d instead of %d", count, known) : KNOWN);
    }
}
