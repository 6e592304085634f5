package dev.meshguard.report.findings;

import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Timeline;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One check with its findings, as a file of findings has it.
 *
 * <p>A check without findings is recorded too: only so a test that no longer leaks differs from one that did not run.
 *
 * @param test the test, class or run that was checked, by a name that is the same on every machine
 * @param subject its kind: {@code TEST}, {@code CLASS}, {@code RUN} or {@code PROCESS}
 * @param source the id of the source of the memory, if a source allocated it
 * @param outcome the outcome of the verdict
 * @param result what the check did: {@code PASSED}, {@code KNOWN}, {@code FAILED} or {@code ABORTED}
 * @param completed whether the test ran to its end, or all tests of a class with one mesh; one that threw or is disabled may not
 *     have reached its leak
 * @param peakBytes the result of {@link #peakBytesOf}; 0 if nothing was allocated
 * @param findings its findings
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record CheckRecord(
        String test,
        String subject,
        Optional<String> source,
        Outcome outcome,
        String result,
        boolean completed,
        long peakBytes,
        List<FindingRecord> findings) {

    /** Creates a record with its own copy of the findings. */
    public CheckRecord {
        findings = List.copyOf(findings);
    }

    /**
     * Returns the peak of a history: the most bytes of one type that were live on one device at a time, in the whole history.
     *
     * <p>Of several devices and types it is the largest peak, not the sum. Memory that belongs to no device counts as one
     * device. The summary of a run shows the same peaks by type.
     */
    public static long peakBytesOf(AllocationHistory history) {
        return history.timeline().curvesBy(DeviceMemory::of).values().stream()
                .mapToLong(Timeline.Curve::peakBytes)
                .max()
                .orElse(0);
    }

    /**
     * Returns whether a check would have found each leak of its test.
     *
     * @param completed whether the test ran to its end
     */
    public static boolean isConclusive(boolean completed, Outcome outcome) {
        return completed && outcome != Outcome.INCONCLUSIVE;
    }

    /** Returns the bytes of the findings that leaked, known ones included, at most {@link Long#MAX_VALUE}. */
    public long leakedBytes() {
        return findings.stream()
                .filter(finding -> finding.status().equals(SurvivorStatus.LEAKED.name()))
                .mapToLong(FindingRecord::bytes)
                .reduce(0, Quantities::saturatedSum);
    }
}
