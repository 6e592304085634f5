package dev.meshguard.report.findings;

import dev.meshguard.event.BufferType;
import dev.meshguard.report.SurvivorFinding;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.Overwrite;
import dev.meshguard.verdict.SurvivorStatus;
import dev.meshguard.verdict.baseline.Fingerprint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The number and the bytes of the surviving or overwritten buffers of one check that have one fingerprint, cause, status and line.
 *
 * <p>The files of findings and the overview of pages count with it, so they never disagree.
 *
 * @param fingerprint the digest of the {@link Fingerprint}, which is the same in other runs
 * @param cause why the buffers remain ({@link dev.meshguard.verdict.Cause}), or what overwrote them
 *     ({@link Overwrite.Kind})
 * @param status how they count ({@link SurvivorStatus}), or {@code OVERWRITTEN}
 * @param type the type of their memory
 * @param line the line of code that allocated them, if it is known
 * @param known whether a baseline knows them; false without a baseline
 * @param buffers the number of buffers, consequences included
 * @param bytes their bytes, at most {@link Long#MAX_VALUE}
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record FindingRecord(
        String fingerprint,
        String cause,
        String status,
        BufferType type,
        Optional<String> line,
        boolean known,
        long buffers,
        long bytes) {

    private static final String OVERWRITTEN = "OVERWRITTEN";

    /**
     * Returns the records of findings, those with the most bytes first.
     *
     * @param findings the findings about survivors
     * @param overwrites the overwritten buffers
     */
    public static List<FindingRecord> of(List<SurvivorFinding> findings, List<Overwrite> overwrites) {
        List<FindingRecord> parts = new ArrayList<>();
        for (SurvivorFinding finding : findings) {
            for (SurvivorFinding.Part part : finding.parts()) {
                parts.add(new FindingRecord(
                        part.fingerprint().digest(),
                        finding.cause().name(),
                        finding.status().name(),
                        part.group().type(),
                        finding.site().map(Object::toString),
                        part.isKnown(),
                        part.group().buffers(),
                        part.group().totalBytes()));
            }
        }
        overwrites.forEach(overwrite -> parts.add(of(overwrite)));
        return combined(parts);
    }

    private static FindingRecord of(Overwrite overwrite) {
        return new FindingRecord(
                Fingerprint.of(overwrite.buffer()).digest(),
                overwrite.kind().name(),
                overwrite.isExpected() ? SurvivorStatus.EXPECTED.name() : OVERWRITTEN,
                overwrite.buffer().type(),
                overwrite.buffer().origin().flatMap(origin -> origin.site()).map(Object::toString),
                false,
                1,
                overwrite.buffer().size());
    }

    /** Adds up those that differ only in their amounts. */
    private static List<FindingRecord> combined(List<FindingRecord> parts) {
        Map<FindingRecord, FindingRecord> sums = new LinkedHashMap<>();
        for (FindingRecord part : parts) {
            sums.merge(part.with(0, 0), part, FindingRecord::and);
        }
        return sums.values().stream()
                .sorted(Comparator.comparingLong(FindingRecord::bytes).reversed())
                .toList();
    }

    private FindingRecord and(FindingRecord other) {
        return with(buffers + other.buffers, Quantities.saturatedSum(bytes, other.bytes));
    }

    private FindingRecord with(long newBuffers, long newBytes) {
        return new FindingRecord(fingerprint, cause, status, type, line, known, newBuffers, newBytes);
    }
}
