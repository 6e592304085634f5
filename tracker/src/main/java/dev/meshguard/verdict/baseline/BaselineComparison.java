package dev.meshguard.verdict.baseline;

import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.SurvivorGroup;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * What of a verdict was known before.
 *
 * <p>Says nothing of frees of nothing and of what cannot be known: no baseline covers them.
 *
 * @param baseline what was known
 * @param found what the verdict found
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record BaselineComparison(Baseline baseline, Baseline found) {

    /** What is said of a group that is known, in its number. */
    public static final String KNOWN = "known";

    /** Compares a verdict. */
    public static BaselineComparison of(Baseline baseline, LeakVerdict verdict) {
        return new BaselineComparison(baseline, Baseline.of(verdict));
    }

    /**
     * Returns whether everything that makes the verdict bad was known, in that number: then it fails nothing.
     */
    public boolean covers(LeakVerdict verdict) {
        return verdict.inconclusiveReasonTexts().isEmpty()
                && verdict.unbalancingAnomalies().isEmpty()
                && verdict.meetsExpectations()
                && unknown().isEmpty();
    }

    /** Returns what is new, or more than was known. */
    public List<BaselineEntry> unknown() {
        return found.entries().values().stream()
                .filter(entry -> known(entry.fingerprint()) < entry.count())
                .toList();
    }

    /**
     * Returns what there is to say of a group beside its fingerprint: {@code new since the baseline}, {@code known}, or
     * {@code known, but 9 instead of 8}; nothing of what may stay.
     */
    public Optional<String> description(SurvivorGroup group) {
        return description(group, Fingerprint.of(group));
    }

    /** Returns the same for a group whose fingerprint is at hand. */
    public Optional<String> description(SurvivorGroup group, Fingerprint ofGroup) {
        if (!Baseline.isFinding(group)) {
            return Optional.empty();
        }
        String fingerprint = ofGroup.abbreviated(BaselineEntry.DIGITS);
        long known = known(fingerprint);
        long count = Optional.ofNullable(found.entries().get(fingerprint))
                .map(BaselineEntry::count)
                .orElse((long) group.survivors().size());
        if (known == 0) {
            return Optional.of("new since the baseline");
        }
        return Optional.of(
                count > known ? String.format(Locale.ROOT, "known, but %d instead of %d", count, known) : KNOWN);
    }

    private long known(String fingerprint) {
        Map<String, BaselineEntry> entries = baseline.entries();
        return Optional.ofNullable(entries.get(fingerprint))
                .map(BaselineEntry::count)
                .orElse(0L);
    }
}
